import { concatBytes, equalBytes } from '../../core/bytes/bytes.ts'
import { BLOOM_BYTES, joinBlooms } from '../../core/block/codec/bloom.ts'
import { encodeReceipt } from '../../core/block/codec/receipt.ts'
import { hashOfHeader } from '../../core/chain/importing/validation.ts'
import { ommersHashOf, transactionsRootOf } from '../../core/chain/rules/body.ts'
import { forkIsAtLeast } from '../../core/genesis/fork.ts'
import type { ChainConfiguration } from '../../core/genesis/configuration.ts'
import { rulesAt } from '../../core/genesis/schedule.ts'
import { segmentRecord, openSegment, segmentChanges } from '../../core/store/segments/segment.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { readSegment, REASONS } from '../../core/store/segments/segmentParts.ts'
import { orderedTrieRoot } from '../../core/trie/ordered.ts'
import { type Findings, found } from './findings.ts'

type RecordCheck = {
  readonly kv: KeyValueStore
  readonly configuration: ChainConfiguration
  readonly findings: Findings
  readonly onBlock: (number: number) => void
}

/** The reason why a record is not the block that follows `parentHash`; undefined for a valid one. */
const problemOf = (
  configuration: ChainConfiguration,
  bytes: Uint8Array,
  number: number,
  parentHash: Uint8Array | undefined,
): { readonly problem: string | undefined; readonly hash: Uint8Array } => {
  const segment = openSegment(bytes)
  const { block, hash, receipts } = segmentRecord(segment)
  segmentChanges(segment)
  const { header, transactions, ommers } = block
  const blooms = receipts.map(receipt => receipt.logsBloom)
  const rules = rulesAt(configuration, header.number, header.timestamp, header.difficulty)
  const checks: readonly (readonly [string, () => boolean])[] = [
    ['number', () => Number(header.number) === number],
    ['hash', () => equalBytes(hashOfHeader(configuration, header), hash)],
    ['parent', () => parentHash === undefined || equalBytes(header.parentHash, parentHash)],
    ['transactions root', () => equalBytes(transactionsRootOf(transactions), header.transactionsRoot)],
    ['ommers', () => equalBytes(ommersHashOf(ommers), header.ommersHash)],
    [
      'receipts root',
      () =>
        // Receipts before Byzantium have state roots, which are not kept for every chain.
        !forkIsAtLeast(rules.fork, 'byzantium') ||
        equalBytes(orderedTrieRoot(receipts.map(receipt => encodeReceipt(receipt))), header.receiptsRoot),
    ],
    [
      'bloom of the logs',
      () =>
        equalBytes(blooms.length === 0 ? new Uint8Array(BLOOM_BYTES) : joinBlooms(blooms), header.logsBloom),
    ],
  ]
  const wrong = checks.filter(([, isRight]) => !isRight()).map(([name]) => name)
  return {
    problem: wrong.length === 0 ? undefined : `its ${wrong.join(', ')} does not match`,
    hash: concatBytes(hash),
  }
}

/** Verifies checksum, hash, parent and roots of each record from block 1 to `last`. Returns the damaged blocks. */
export const checkRecords = async (
  { kv, configuration, findings, onBlock }: RecordCheck,
  last: number,
): Promise<readonly number[]> => {
  const damaged: number[] = []
  let parentHash: Uint8Array | undefined
  for (let number = 1; number <= last; number++) {
    const bytes = await readSegment(kv, number)
    let problem: string | undefined
    if (typeof bytes === 'string') {
      problem = REASONS[bytes]
      parentHash = undefined
    } else {
      const checked = problemOf(configuration, bytes, number, parentHash)
      ;({ problem } = checked)
      parentHash = checked.hash
    }
    if (problem !== undefined) {
      damaged.push(number)
      found(findings, `the record of block ${number}: ${problem}`)
    }
    onBlock(number)
  }
  return damaged
}
