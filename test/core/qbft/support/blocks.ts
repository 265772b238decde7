import type { Address, Hash } from '../../../../core/bytes/bytes.ts'
import type { Block } from '../../../../core/block/block.ts'
import { decodeExtraData, encodeExtraData } from '../../../../core/block/codec/extraData.ts'
import { signTransaction } from '../../../../core/block/codec/signature.ts'
import { transactionsRootOf } from '../../../../core/chain/rules/body.ts'
import type { Transaction } from '../../../../core/block/transaction.ts'
import { keccak256 } from '../../../../core/crypto/crypto.ts'
import { USERS } from '../../chain/support/keys.ts'
import { BLOCK } from '../codec/messages.ts'
import { BARE_FIELDS } from '../../../support/chains/bareFields.ts'

export type BlockOptions = {
  readonly creator: Address
  readonly validators: readonly Address[]
  readonly number?: bigint
  readonly round?: number
  readonly timestamp?: bigint
  readonly parentHash?: Hash
  readonly transactions?: readonly Transaction[]
}

/** On-chain hash of the head at this height, in these tests. */
export const headHash = (number: bigint): Hash => keccak256(new TextEncoder().encode(`head ${number}`))

/** An unsealed block with everything that message rules check: extraData, creator, round, and a matching body. */
export const makeBlock = ({
  creator,
  validators,
  number = 1n,
  round = 0,
  timestamp = 100n,
  parentHash = headHash(number - 1n),
  transactions = [],
}: BlockOptions): Block => ({
  ...BLOCK,
  header: {
    ...BLOCK.header,
    coinbase: creator,
    number,
    timestamp,
    parentHash,
    transactionsRoot: transactionsRootOf(transactions),
    extraData: encodeExtraData({
      vanity: new Uint8Array(32),
      validators,
      vote: undefined,
      round,
      seals: [],
    }),
  },
  transactions,
})

export const roundOf = ({ header }: Block): number => decodeExtraData(header.extraData).round

/** Different for each nonce. */
export const makeTransfer = (nonce: number): Transaction =>
  signTransaction(
    {
      type: 0,
      chainId: 1337n,
      nonce: BigInt(nonce),
      maxPriorityFeePerGas: 0n,
      maxFeePerGas: 0n,
      gasLimit: 21_000n,
      to: USERS[1].address,
      value: 1n,
      data: new Uint8Array(0),
      ...BARE_FIELDS,
    },
    USERS[0].privateKey,
  )
