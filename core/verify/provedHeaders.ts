import type { Address } from '../bytes/bytes.ts'
import { equalBytes } from '../bytes/bytes.ts'
import { qbftBlockHash } from '../block/codec/blockHash.ts'
import type { Header } from '../block/header.ts'
import { qbftExtraDataOf } from '../chain/rules/qbft.ts'
import { setBounded } from '../collections/boundedMap.ts'
import type { ChainHead } from '../store/store.ts'
import { createLinkedHeaders, readHeader, type ReadHeaders } from './linkedHeaders.ts'
import { NotProved } from './notProved.ts'
import { isSealedBy, listsValidators, verifySealedHeader } from './sealedHeader.ts'

/** Proved headers that are cached, some 1.5 KB each. */
const KEPT_MAX = 8_192

/** Distance of the headers of a long way down that are kept: the next way to a block near them is short. */
const ANCHOR_DISTANCE = 64n

/** The headers of a chain up to a trusted head, each proved by seals or by its child. */
export type ProvedHeaders = {
  /** @throws NotProved */
  readonly header: (number: bigint) => Promise<Header>
  /** Consecutive headers; cheaper than separate calls. @throws NotProved */
  readonly range: (from: bigint, to: bigint) => Promise<readonly Header[]>
}

export type ProvedHeadersOptions = {
  readonly genesis: ChainHead
  readonly read: ReadHeaders
  /** A trusted header, and the validators that it lists or that govern the next block. */
  readonly head: Header
  readonly validators: readonly Address[]
  /** True when a quorum of the validators that governed an earlier header sealed it; false where they are not known. */
  readonly isGoverned: (header: Header) => Promise<boolean>
  /** Proved headers by number. They outlive the head, because a final block never changes. */
  readonly known: Map<bigint, Header>
  /** Headers whose hashes are proved by their descendants, but not their seals; they outlive the head as well. */
  readonly anchors: Map<bigint, Header>
  /** Runs one piece of work after another: many long ways down at once would take the memory of each. */
  readonly inTurn?: <Result>(work: () => Promise<Result>) => Promise<Result>
}

type State = ProvedHeadersOptions

const keep = ({ known }: State, header: Header): Header => {
  setBounded(known, header.number, header, KEPT_MAX)
  return header
}

/** True when a quorum of the trusted validators sealed the header; false also when other validators governed the block. */
const isSealed = (header: Header, validators: readonly Address[]): boolean =>
  (qbftExtraDataOf(header).validators.length === 0 || listsValidators(header, validators)) &&
  isSealedBy(header, validators)

/** The nearest header above the number whose hash is proved. */
const anchorAbove = ({ known, anchors, head }: State, number: bigint): Header => {
  let nearest = head
  for (const headers of [known, anchors])
    for (const header of headers.values())
      if (header.number > number && header.number < nearest.number) nearest = header
  return nearest
}

/**
 * Verifies the seals of a header that its child proves: its hash does not cover seals and round, which the validators that
 * it lists prove.
 */
const requireSeals = (header: Header): Header => {
  const { validators } = qbftExtraDataOf(header)
  // The validators are unknown when a contract selects them.
  if (validators.length > 0 && header.number > 0n) verifySealedHeader(header, validators)
  return header
}

const prove = async (state: State, number: bigint): Promise<Header> => {
  const { head, genesis, known, validators, isGoverned } = state
  if (number === head.number) return head
  if (number < 0n || number > head.number) throw new NotProved(`header ${number}`, 'it is above the head')
  const before = known.get(number)
  if (before !== undefined) return before
  if (number === 0n) return genesis.header
  const header = await readHeader(state.read, Number(number))
  const child = known.get(number + 1n)
  if (child !== undefined && equalBytes(qbftBlockHash(header), child.parentHash))
    return keep(state, requireSeals(header))
  if (isSealed(header, validators) || (await isGoverned(header))) return keep(state, header)
  return (state.inTurn ?? atOnce)(() => link(state, number))
}

const atOnce = <Result>(work: () => Promise<Result>): Promise<Result> => work()

/** Proves a header by its descendants. */
const link = async (state: State, number: bigint): Promise<Header> => {
  const { known, anchors, read } = state
  const linked = createLinkedHeaders({ kind: 'qbft' }, anchorAbove(state, number), read, header => {
    if (header.number % ANCHOR_DISTANCE === 0n) setBounded(anchors, header.number, header, KEPT_MAX)
  })
  return known.get(number) ?? keep(state, requireSeals(await linked.header(number)))
}

export const createProvedHeaders = (options: ProvedHeadersOptions): ProvedHeaders => ({
  header: number => prove(options, number),
  range: async (from, to) => {
    const last = await prove(options, to)
    const linked = createLinkedHeaders({ kind: 'qbft' }, last, options.read)
    const headers: Header[] = []
    await linked.header(from)
    for (let number = from; number <= to; number++) headers.push(await linked.header(number))
    return headers
  },
})
