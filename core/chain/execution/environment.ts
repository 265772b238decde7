import type { Hash } from '../../bytes/bytes.ts'
import { BLOCK_HASHES_MAX, type BlockEnvironment } from '../../evm/transaction/environment.ts'
import type { ChainConfiguration, Rules } from '../../genesis/configuration.ts'
import type { ChainHead } from '../../store/store.ts'
import { blobBaseFeeAt } from '../fees/blobFee.ts'
import type { Header } from '../../block/header.ts'
import { beneficiaryOf } from './reward.ts'

/** The fields of a header that are known before its block is executed. */
export type OpenHeader = Pick<
  Header,
  | 'parentHash'
  | 'coinbase'
  | 'difficulty'
  | 'number'
  | 'gasLimit'
  | 'timestamp'
  | 'mixHash'
  | 'baseFeePerGas'
  | 'excessBlobGas'
  | 'parentBeaconBlockRoot'
>

/** BLOCKHASH in the block after `parent`; `recentHash` reads the hashes of the blocks before the parent. */
export const blockHashesAfter =
  (parent: ChainHead, recentHash: (number: bigint) => Hash | undefined) =>
  (number: bigint): Hash | undefined => {
    if (number === parent.header.number) return parent.hash
    const isInReach = number < parent.header.number && number + BLOCK_HASHES_MAX > parent.header.number
    return isInReach ? recentHash(number) : undefined
  }

/** The EVM's environment of a block. */
export const blockEnvironment = (
  configuration: ChainConfiguration,
  rules: Rules,
  header: OpenHeader,
  blockHash: (number: bigint) => Hash | undefined,
): BlockEnvironment => ({
  rules,
  number: header.number,
  timestamp: header.timestamp,
  beneficiary: beneficiaryOf(configuration, header),
  gasLimit: header.gasLimit,
  difficulty: header.difficulty,
  prevRandao: header.mixHash,
  baseFeePerGas: header.baseFeePerGas,
  blobBaseFee: blobBaseFeeAt(configuration, rules, header.excessBlobGas),
  blockHash,
})
