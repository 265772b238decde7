import { concatBytes, equalBytes } from '../../core/bytes/bytes.ts'
import { BLOOM_BYTES, joinBlooms } from '../../core/block/codec/bloom.ts'
import { encodeReceipt } from '../../core/block/codec/receipt.ts'
import { hashOfHeader } from '../../core/chain/importing/validation.ts'
import { ommersHashOf, transactionsRootOf } from '../../core/chain/rules/body.ts'
import { forkIsAtLeast } from '../../core/genesis/fork.ts'
import type { ChainConfiguration } from '../../core/genesis/configuration.ts'
import { rulesAt } from '../../core/genesis/forkSchedule.ts'
import { segmentRecord, openSegment, segmentChanges } from '../../core/store/segments/segment.ts'
import type { KeyValueStore } from '../../core/store/keyvalue/keyvalue.ts'
import { checkedValue } from '../../core/store/checksum.ts'
import { decodeStoredHead } from '../../core/store/codec/chainHead.ts'
import { headerKey } from '../../core/store/keys.ts'
import { readSegment, REASONS } from '../../core/store/segments/segmentParts.ts'
import { orderedTrieRoot } from '../../core/trie/ordered.ts'
import { type Findings, found } from './findings.ts'

type RecordCheck = {
  readonly kv: Pick<KeyValueStore, 'get' | 'pause'>
  /** The first block whose record is kept; 0 while all are. */
  readonly historyStart: number
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

/** Verifies the headers of the blocks whose records were removed. Returns the hash of the last. */
const checkHeaders = async ({
  kv,
  configuration,
  findings,
  onBlock,
  historyStart,
}: RecordCheck): Promise<Uint8Array | undefined> => {
  let parentHash: Uint8Array | undefined
  for (let number = 1; number < historyStart; number++) {
    const key = headerKey(number)
    const bytes = checkedValue(key, await kv.get(key))
    const head = bytes === undefined ? undefined : decodeStoredHead(bytes)
    const isRight =
      head !== undefined &&
      equalBytes(hashOfHeader(configuration, head.header), head.hash) &&
      (parentHash === undefined || equalBytes(head.header.parentHash, parentHash))
    // A missing or damaged entry is one of the views, whose checksums are verified with them.
    if (head !== undefined && !isRight)
      found(findings, `the header of block ${number}: its hash or parent does not match`)
    parentHash = head?.hash
    onBlock(number)
  }
  return parentHash
}

/**
 * Verifies checksum, hash, parent and roots of each record from the first kept block to `last`, and hash and parent of the
 * headers before. Returns the damaged blocks.
 */
export const checkRecords = async (check: RecordCheck, last: number): Promise<readonly number[]> => {
  const { kv, configuration, findings, onBlock, historyStart } = check
  const damaged: number[] = []
  let parentHash = await checkHeaders(check)
  for (let number = Math.max(1, historyStart); number <= last; number++) {
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
