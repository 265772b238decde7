import { DecodeError } from '../../core/block/codec/error.ts'
import { rawHeaderHash } from '../../core/block/codec/header.ts'
import { checkedValue, StoreCorruption, withChecksum } from '../../core/store/checksum.ts'
import { decodeChainHead, encodeChainHead } from '../../core/store/codec/chainHead.ts'
import {
  decodeKeys,
  decodeValues,
  decodeWrite,
  encodeKeys,
  encodeValues,
  encodeWrite,
} from '../../core/store/codec/entries.ts'
import { readPartReferences } from '../../core/store/codec/partList.ts'
import { createReader, MalformedRecord } from '../../core/store/codec/reader.ts'
import { accountCodec, slotCodec, type ValueCodec } from '../../core/store/codec/stateValues.ts'
import { createWriter } from '../../core/store/codec/writer.ts'
import { REPLICA_KEY } from '../../core/store/keys.ts'
import { commitOfSegment } from '../../core/store/recovery/recover.ts'
import { decodeReplicaHead, encodeReplicaHead } from '../../core/store/replica/replicaHead.ts'
import { encodeSegment } from '../../core/store/segments/segment.ts'
import { SnapshotDamaged } from '../../core/store/snapshot/frames.ts'
import {
  decodeSnapshotHeader,
  encodeSnapshotHeader,
  SnapshotVersion,
} from '../../core/store/snapshot/header.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../core/crypto/constants.ts'
import type { Account } from '../../core/state/account.ts'
import type { BlockCommit, ChainHead } from '../../core/store/store.ts'
import type { Codec } from './codec.ts'
import { ADDRESS, BLOCKS, HASH, RECEIPTS } from './samples.ts'

const PLAIN: Account = {
  nonce: 0n,
  balance: 300n,
  incarnation: 0n,
  codeHash: EMPTY_CODE_HASH,
  storageRoot: EMPTY_TRIE_ROOT,
}
const CONTRACT: Account = { ...PLAIN, nonce: 1n, incarnation: 200n, codeHash: HASH, storageRoot: HASH }
const WORD = new Uint8Array(32).fill(9, 30)

const commits: readonly BlockCommit[] = BLOCKS.map((block, index) => ({
  block,
  hash: HASH,
  totalDifficulty: 300n,
  senders: block.transactions.map(() => ADDRESS),
  receipts: index === 0 ? [] : RECEIPTS,
  changes: {
    accounts: [
      {
        address: ADDRESS,
        before: undefined,
        after: CONTRACT,
        slots: [{ slot: HASH, before: WORD, after: HASH }],
      },
      { address: HASH.subarray(0, 20), before: PLAIN, after: PLAIN, slots: [] },
    ],
    codes: index === 0 ? [] : [{ codeHash: HASH, code: ADDRESS }],
  },
  nodes: [],
}))

const HEAD: ChainHead = {
  header: (BLOCKS[1] as BlockCommit['block']).header,
  hash: HASH,
  totalDifficulty: 1n,
}

const valueCodec = <Value>(name: string, codec: ValueCodec<Value>, values: readonly Value[]): Codec => {
  const write = (value: Value): Uint8Array => {
    const writer = createWriter()
    codec.write(writer, value)
    return writer.finish()
  }
  return {
    name,
    files: ['core/store/codec/stateValues.ts', 'core/store/codec/reader.ts'],
    samples: values.map(write),
    reencode: bytes => {
      const reader = createReader(bytes)
      const value = codec.read(reader)
      reader.end()
      return write(value)
    },
    errors: [MalformedRecord],
  }
}

const ENTRIES_MAX = 8

export const STORE_CODECS: readonly Codec[] = [
  {
    name: 'segment',
    files: [
      'segments/segment',
      'segments/writtenSegment',
      'codec/changes',
      'codec/receipts',
      'recovery/recover',
    ].map(file => `core/store/${file}.ts`),
    samples: commits.map(commit => encodeSegment(commit)),
    reencode: bytes => encodeSegment({ ...commitOfSegment(bytes), nodes: [] }),
    errors: [MalformedRecord, DecodeError],
  },
  {
    name: 'chain head',
    files: ['core/store/codec/chainHead.ts'],
    samples: [encodeChainHead(HEAD)],
    reencode: bytes => encodeChainHead(decodeChainHead(bytes)),
    errors: [MalformedRecord, DecodeError],
  },
  valueCodec('account', accountCodec, [undefined, PLAIN, CONTRACT]),
  valueCodec('slot', slotCodec, [new Uint8Array(32), WORD, HASH]),
  {
    name: 'list of parts',
    files: [
      'core/store/codec/partList.ts',
      'core/store/segments/segmentParts.ts',
      'core/store/segments/codeParts.ts',
    ],
    samples: [partList([{ length: 300, checksum: HASH.subarray(0, 8) }])],
    reencode: bytes => partList(readPartReferences(createReader(bytes))),
    errors: [MalformedRecord],
  },
  {
    name: 'keys',
    files: ['core/store/codec/entries.ts'],
    samples: [encodeKeys(['mark:0', 'segment:300'])],
    reencode: bytes => encodeKeys(decodeKeys(bytes, ENTRIES_MAX)),
    errors: [MalformedRecord],
  },
  {
    name: 'values',
    files: ['core/store/codec/entries.ts', 'runtime/drivers/http.ts'],
    samples: [encodeValues([undefined, HASH, new Uint8Array(0)])],
    reencode: bytes => encodeValues(decodeValues(bytes, ENTRIES_MAX)),
    errors: [MalformedRecord],
  },
  {
    name: 'conditional write',
    files: ['core/store/codec/entries.ts', 'runtime/workers/storeRoute.ts'],
    samples: [encodeWrite({ key: 'replica', value: HASH, entries: [{ key: 'mark:0', value: undefined }] })],
    reencode: bytes => encodeWrite(decodeWrite(bytes, ENTRIES_MAX)),
    errors: [MalformedRecord],
  },
  {
    name: 'head of a replica',
    files: ['core/store/replica/replicaHead.ts'],
    samples: [undefined, HEAD].map(head =>
      contentOf(
        encodeReplicaHead({
          contents: 'chain',
          sequence: 300,
          writer: HASH.subarray(0, 16),
          genesisHash: rawHeaderHash(HEAD.header),
          logSections: 0,
          head,
        }),
      ),
    ),
    reencode: bytes => contentOf(encodeReplicaHead(decodeReplicaHead(withChecksum(REPLICA_KEY, bytes)))),
    errors: [MalformedRecord, DecodeError, StoreCorruption],
  },
  {
    name: 'header of a snapshot',
    files: ['core/store/snapshot/header.ts', 'core/store/snapshot/frames.ts'],
    samples: [encodeSnapshotHeader({ chainId: 1337n, genesisHash: HASH, number: 5n, hash: HASH })],
    reencode: bytes => encodeSnapshotHeader(decodeSnapshotHeader(bytes)),
    errors: [SnapshotDamaged, SnapshotVersion],
  },
]

function contentOf(stored: Uint8Array): Uint8Array {
  return checkedValue(REPLICA_KEY, stored) as Uint8Array
}

function partList(list: ReturnType<typeof readPartReferences>): Uint8Array {
  const writer = createWriter()
  writer.varint(list.length)
  for (const { length, checksum } of list) {
    writer.varint(length)
    writer.raw(checksum)
  }
  return writer.finish()
}
