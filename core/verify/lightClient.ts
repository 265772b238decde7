import { NO_NODES } from '../trie/nodes/load.ts'
import type { Address, Hash } from '../bytes/bytes.ts'
import { toHex, toQuantity } from '../bytes/hex.ts'
import { qbftBlockHash } from '../block/codec/blockHash.ts'
import { rawHeaderHash } from '../block/codec/header.ts'
import type { Header } from '../block/header.ts'
import { EMPTY_TRIE_ROOT } from '../crypto/constants.ts'
import { genesisBlock, genesisChanges } from '../genesis/genesisBlock.ts'
import { parseGenesisText } from '../genesis/parse/parse.ts'
import { updateStateRoot } from '../trie/state/stateRoot.ts'
import { type ProofJson, type ProvedAccount, verifyAccountProof } from './accountProof.ts'
import { type BlockJson, headerOfJson } from './headerJson.ts'
import { NotProved } from './notProved.ts'
import {
  type TrustedBlock,
  type TrustedChainOptions,
  trustCheckpoint,
  trustGenesis,
  trustHeader,
} from './trustedChain.ts'

export type LightClientOptions = {
  /** The text of the network's genesis file, from a trusted source. */
  readonly genesis: string
  /** A later trusted block, from which the validators are followed. */
  readonly checkpoint?: { readonly number: bigint; readonly hash: Hash }
  /** Sends a JSON-RPC request to a node, which need not be trusted. Resolves to the result. */
  readonly request: (method: string, params: readonly unknown[]) => Promise<unknown>
}

/** A block that a quorum of the network's validators sealed. */
export type ProvedBlock = { readonly number: bigint; readonly hash: Hash; readonly header: Header }

export type LightClient = {
  /** The node's last block, proved; its number never decreases. @throws NotProved, InvalidBlock */
  readonly head: () => Promise<ProvedBlock>
  /** An account and its slots, proved after the last block that `head` returned. @throws NotProved, InvalidProof */
  readonly account: (address: Address, slots?: readonly bigint[]) => Promise<ProvedAccount>
}

const isBlock = (value: unknown): value is BlockJson => typeof value === 'object' && value !== null

/** Block 0 of the genesis file. */
const genesisHeader = (text: string) => {
  const genesis = parseGenesisText(text)
  const { consensus } = genesis.configuration
  if (consensus.kind !== 'qbft') throw new NotProved('the chain', 'it is not QBFT')
  const { root } = updateStateRoot(NO_NODES, EMPTY_TRIE_ROOT, genesisChanges(genesis))
  return { consensus, header: genesisBlock(genesis, root).header }
}

const provedBlock = (header: Header): ProvedBlock => ({
  number: header.number,
  hash: header.number === 0n ? rawHeaderHash(header) : qbftBlockHash(header),
  header,
})

/**
 * Follows a QBFT chain through the JSON-RPC of an untrusted node, in a browser, a wallet or a server. Networks whose
 * validators a contract selects are not supported.
 */
export const createLightClient = ({ genesis, checkpoint, request }: LightClientOptions): LightClient => {
  const { consensus, header: first } = genesisHeader(genesis)
  const read = async (number: string): Promise<Header | undefined> => {
    const block = await request('eth_getBlockByNumber', [number, false])
    if (block === null || block === undefined) return undefined
    if (!isBlock(block)) throw new NotProved(`block ${number}`, 'the answer is no block')
    return headerOfJson(block)
  }
  const options: TrustedChainOptions = {
    consensus,
    read: numbers => Promise.all(numbers.map(number => read(toQuantity(BigInt(number))))),
    callContract: ({ number }) =>
      Promise.reject(new NotProved(`the validators after block ${number}`, 'a contract selects them')),
  }
  let trusted: TrustedBlock | undefined
  const head = async (): Promise<ProvedBlock> => {
    trusted ??= await (checkpoint === undefined
      ? trustGenesis(options, first)
      : trustCheckpoint(options, checkpoint.number, checkpoint.hash))
    const latest = await read('latest')
    if (latest === undefined) throw new NotProved('the head', 'the node returned no block')
    if (latest.number > trusted.header.number) trusted = await trustHeader(options, trusted, latest)
    else if (latest.number < trusted.header.number)
      throw new NotProved(`block ${latest.number}`, `block ${trusted.header.number} was the head before`)
    return provedBlock(trusted.header)
  }
  return {
    head,
    account: async (address, slots = []) => {
      const { number, header } = trusted === undefined ? await head() : provedBlock(trusted.header)
      const keys = slots.map(slot => `0x${slot.toString(16).padStart(64, '0')}`)
      const answer = await request('eth_getProof', [toHex(address), keys, toQuantity(number)])
      if (!isBlock(answer)) throw new NotProved(`account ${toHex(address)}`, 'the node has no proof')
      return verifyAccountProof(header.stateRoot, address, slots, answer as unknown as ProofJson)
    },
  }
}
