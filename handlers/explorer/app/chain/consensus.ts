import { fromRlp, keccak256, recoverAddress, toRlp } from 'viem/utils'
import type { Hex, RpcBlock } from '../rpc/types.ts'

/** What the extraData of a QBFT block says. */
export type Consensus = {
  readonly vanity: Hex
  /** Empty where a contract selects the validators. */
  readonly validators: readonly Hex[]
  readonly vote: { readonly recipient: Hex; readonly add: boolean } | undefined
  readonly round: number
  readonly seals: readonly Hex[]
}

type Item = Hex | readonly Item[]

const listOf = (item: Item | undefined): readonly Hex[] =>
  Array.isArray(item) ? (item as readonly Hex[]) : []

/** Decodes `[vanity, validators, vote, round, seals]`; undefined for a block of another consensus. */
export const consensusOf = ({ extraData }: Pick<RpcBlock, 'extraData'>): Consensus | undefined => {
  try {
    const items = fromRlp(extraData, 'hex') as Item
    if (!Array.isArray(items) || items.length < 5) return undefined
    const [vanity, validators, vote, round, seals] = items as readonly Item[]
    const [recipient, type] = listOf(vote)
    return {
      vanity: vanity as Hex,
      validators: listOf(validators),
      vote: recipient === undefined ? undefined : { recipient, add: type === '0xff' },
      round: round === '0x' ? 0 : Number(round),
      seals: listOf(seals),
    }
  } catch {
    // Not RLP: the block comes from another consensus.
    return undefined
  }
}

/** A quantity as RLP has it: without leading zeros, in whole bytes. */
const scalar = (quantity: Hex): Hex => {
  const digits = quantity.slice(2).replace(/^0+/, '')
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`
}

/** The extraData without its seals, which those cannot cover. */
const unsealed = (extraData: Hex): Hex => {
  const items = (fromRlp(extraData, 'hex') as readonly Item[]).slice()
  items[4] = []
  return toRlp(items as Hex[])
}

/** The hash that validators seal: of the header with its round, without the seals. */
const sealHash = (block: RpcBlock<unknown>): Hex => {
  const fields: (Hex | undefined)[] = [
    block.parentHash,
    block.sha3Uncles,
    block.miner,
    block.stateRoot,
    block.transactionsRoot,
    block.receiptsRoot,
    block.logsBloom,
    scalar(block.difficulty),
    scalar(block.number),
    scalar(block.gasLimit),
    scalar(block.gasUsed),
    scalar(block.timestamp),
    unsealed(block.extraData),
    block.mixHash,
    block.nonce,
    block.baseFeePerGas && scalar(block.baseFeePerGas),
    block.withdrawalsRoot,
    block.blobGasUsed && scalar(block.blobGasUsed),
    block.excessBlobGas && scalar(block.excessBlobGas),
    block.parentBeaconBlockRoot,
    block.requestsHash,
  ]
  return keccak256(toRlp(fields.filter(field => field !== undefined)))
}

/** Blocks whose signers are kept: a little more than a grid shows. */
const KEPT_MAX = 256
const kept = new Map<Hex, Promise<readonly Hex[]>>()

/** Seals that are recovered, a millisecond each; networks have fewer validators. */
const SEALS_MAX = 200

const recoverSigners = async (block: RpcBlock<unknown>): Promise<readonly Hex[]> => {
  const seals = (consensusOf(block)?.seals ?? []).slice(0, SEALS_MAX)
  const hash = sealHash(block)
  const signers = await Promise.all(
    // The last byte is the parity, which other signatures give as 27 or 28.
    seals.map(seal => recoverAddress({ hash, signature: seal }).catch(() => undefined)),
  )
  return signers.flatMap(signer => (signer === undefined ? [] : [signer.toLowerCase() as Hex]))
}

/** The addresses that sealed a block, in lower case, recovered from its seals here in the browser. */
export const signersOf = (block: RpcBlock<unknown>): Promise<readonly Hex[]> => {
  // With a part of the last seal, because the block hash does not cover the seals.
  const key = `${block.hash}${block.extraData.slice(-64)}` as Hex
  const found = kept.get(key)
  if (found !== undefined) return found
  const signers = recoverSigners(block)
  if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value as Hex)
  kept.set(key, signers)
  return signers
}
