/** `quorate/verify`: verifies the data of an untrusted node or store, from the genesis file or a checkpoint. */
export { fromHex, toHex } from '../bytes/hex.ts'
export { type ProofJson, type ProvedAccount, verifyAccountProof } from './accountProof.ts'
export { type BlockJson, headerOfJson } from './headerJson.ts'
export {
  createLightClient,
  type LightClient,
  type LightClientOptions,
  type ProvedBlock,
} from './lightClient.ts'
export { NotProved } from './notProved.ts'
export { verifySealedHeader } from './sealedHeader.ts'
export {
  type TrustedBlock,
  type TrustedChainOptions,
  trustCheckpoint,
  trustGenesis,
  trustHeader,
} from './trustedChain.ts'
