import { createEVM } from '@ethereumjs/evm'
import { encodeFunctionData, encodeAbiParameters } from 'viem'
import { type Address, concatBytes, EMPTY_BYTES, padStartBytes } from '../../core/bytes/bytes.ts'
import { fromHex, toHex, toQuantity } from '../../core/bytes/hex.ts'
import { bigintToFixedBytes } from '../../core/bytes/integer.ts'
import { signTransaction } from '../../core/block/codec/signature.ts'
import type { RecoveredTransaction, Transaction } from '../../core/block/transaction.ts'
import { addressOfPrivateKey, keccak256 } from '../../core/crypto/crypto.ts'
import { seededRandom } from '../support/random.ts'
import { compile } from '../support/programs/solc.ts'
import { BARE_FIELDS } from '../support/chains/bareFields.ts'

export const CHAIN_ID = 1337
export const TRANSACTIONS_PER_BLOCK = 1000
/** Accounts beside the senders, all of them holders of the token. */
export const HOLDERS = 10_000
export const GENESIS_TIME = 1_700_000_000n
export const BLOCK_GAS_LIMIT = 1_000_000_000n
export const TOKEN_ADDRESS: Address = fromHex('70c0'.padStart(40, '0'))
const BALANCE = 10n ** 21n

export type Sender = { readonly privateKey: Uint8Array; readonly address: Address }

const numbered = (name: string, index: number): Uint8Array =>
  keccak256(new TextEncoder().encode(`${name} ${index}`))

export const holderAddress = (index: number): Address => numbered('holder', index).slice(12)

export const createSenders = (): readonly Sender[] =>
  Array.from({ length: TRANSACTIONS_PER_BLOCK }, (_, index) => {
    const privateKey = numbered('sender', index)
    return { privateKey, address: addressOfPrivateKey(privateKey) }
  })

/** Where Solidity keeps `balanceOf[address]`: the first state variable that is neither constant nor immutable. */
export const balanceSlot = (address: Address): Uint8Array =>
  keccak256(concatBytes(padStartBytes(address, 32), new Uint8Array(32)))

/** The code that the token's constructor leaves, run by the reference EVM. */
const tokenCode = async (): Promise<Uint8Array> => {
  const { bytecode } = compile('Token')
  const supply = encodeAbiParameters([{ type: 'uint256' }], [10n ** 30n])
  const evm = await createEVM()
  const { createdAddress, execResult } = await evm.runCall({ data: fromHex(bytecode + supply.slice(2)) })
  if (createdAddress === undefined || execResult.exceptionError !== undefined)
    throw new Error('the token was not deployed')
  return execResult.returnValue
}

type AllocEntry = { balance: string; code?: string; storage?: Record<string, string> }

/** The accounts of a genesis file: senders and holders with ether and tokens, and the token. */
export const createAlloc = async (senders: readonly Sender[]): Promise<Record<string, AllocEntry>> => {
  const addresses = [
    ...senders.map(({ address }) => address),
    ...Array.from({ length: HOLDERS }, (_, index) => holderAddress(index)),
  ]
  const tokens = toHex(bigintToFixedBytes(BALANCE, 32))
  return {
    ...Object.fromEntries(addresses.map(address => [toHex(address), { balance: toQuantity(BALANCE) }])),
    [toHex(TOKEN_ADDRESS)]: {
      balance: '0x0',
      code: toHex(await tokenCode()),
      storage: Object.fromEntries(addresses.map(address => [toHex(balanceSlot(address)), tokens])),
    },
  }
}

export type WorkloadKind = 'transfers' | 'ERC-20 transfers'

/** Form of the transactions of a workload: type and price. */
type TransactionForm = Pick<Transaction, 'type' | 'maxPriorityFeePerGas' | 'maxFeePerGas'>

const FEE_MARKET: TransactionForm = { type: 2, maxPriorityFeePerGas: 10n ** 9n, maxFeePerGas: 10n ** 11n }

/** What a network without a fee market and with gas for nothing takes. */
export const FREE_LEGACY: TransactionForm = { type: 0, maxPriorityFeePerGas: 0n, maxFeePerGas: 0n }

type WorkloadOptions = {
  readonly recipients?: number
  readonly firstNonce?: number
  readonly form?: TransactionForm
}

/**
 * Signed blocks: in each every sender sends one transaction to a holder that looks random. `recipients` is how many
 * holders there are to choose from, `firstNonce` what the senders have sent before.
 */
export const createBlocks = (
  kind: WorkloadKind,
  senders: readonly Sender[],
  count: number,
  { recipients = HOLDERS, firstNonce = 0, form = FEE_MARKET }: WorkloadOptions = {},
): RecoveredTransaction[][] => {
  const random = seededRandom(count + firstNonce + 1)
  const { abi } = compile('Token')
  return Array.from({ length: count }, (_, block) =>
    senders.map(({ privateKey, address: sender }) => {
      const recipient = holderAddress(random.below(recipients))
      const isToken = kind === 'ERC-20 transfers'
      const data = isToken
        ? fromHex(encodeFunctionData({ abi, functionName: 'transfer', args: [toHex(recipient), 10n ** 12n] }))
        : EMPTY_BYTES
      const transaction = signTransaction(
        {
          ...form,
          chainId: BigInt(CHAIN_ID),
          nonce: BigInt(firstNonce + block),
          gasLimit: isToken ? 100_000n : 21_000n,
          to: isToken ? TOKEN_ADDRESS : recipient,
          value: isToken ? 0n : 10n ** 12n,
          data,
          ...BARE_FIELDS,
        },
        privateKey,
      )
      return { transaction, sender }
    }),
  )
}

/** What a block of the workload must give whoever executes it: engines that disagree measure different things. */
export type BlockOutcome = {
  readonly gasUsed: bigint
  /** Undefined where the engine chose another order of the transactions. */
  readonly receiptsRoot: string | undefined
}

export const assertSame = (
  what: string,
  ours: readonly BlockOutcome[],
  theirs: readonly BlockOutcome[],
): void => {
  theirs.forEach(({ gasUsed, receiptsRoot }, index) => {
    const own = ours[index]
    if (own === undefined) return
    if (own.gasUsed !== gasUsed || (receiptsRoot !== undefined && own.receiptsRoot !== receiptsRoot))
      throw new Error(
        `${what}: block ${index} gives gas ${gasUsed} and receipts ${receiptsRoot}, ours ${own.gasUsed} and ${own.receiptsRoot}`,
      )
  })
}
