import { expect, test } from 'bun:test'
import { codeOf, sourceFiles } from '../structure/source.ts'
import { CODECS } from './table.ts'

/** What a decoder of bytes is made of. */
const READS =
  /\b(decodeRlp|decodeItems|rawItems|iterateRawItems|firstRawItem|rawString|rlpBytes|rlpList|rlpScalar|createReader)\(|\.get(Big)?(Uint|Int)\d+\(/

/** Files that read bytes and are no codec of the table, with the reason. */
const OTHERS: Readonly<Record<string, string>> = {
  ...because('it reads words of hashes and operands, each of which means something', [
    'core/crypto/hashParts.ts',
    'core/crypto/wasm/hashes.ts',
    'core/evm/operations/data.ts',
    'core/evm/precompiles/blake2/blake2f.ts',
  ]),
  ...because(
    'it reads a value of the own disk under its checksum, which this program wrote and no other gets',
    [
      'core/store/chainId.ts',
      'core/store/flushing/flushJournal.ts',
      'core/store/flushing/flushedHeight.ts',
      'core/store/logs/progress.ts',
      'core/store/reading/hashIndex.ts',
      'core/store/recovery/historyMark.ts',
      'core/store/views/versions.ts',
      'runtime/consensus/record/recordFile.ts',
      'runtime/storage/checkViews.ts',
    ],
  ),
  ...because('it reads an index or a history of the own disk or of a replica, whose results proofs check', [
    'core/store/logs/postings.ts',
    'core/store/views/stateRecord.ts',
    'core/store/views/valueHistory.ts',
  ]),
  ...because('it reads a part of a block record that was checked as a whole', [
    'core/store/logs/blockLogs.ts',
  ]),
  ...because('it reads nodes whose hash is known', ['core/trie/verify.ts']),
  ...because('it reads a value of the state', [
    'handlers/graphql/resolvers/query.ts',
    'handlers/rpc/debugState/ranges.ts',
  ]),
  ...because(
    'EIP-8 demands that further items and the padding are ignored; three fields of fixed length are kept',
    ['p2p/devp2p/rlpx/handshakePackets.ts'],
  ),
  ...because('the format is that of txpool.dump of Besu, a text file of the operator', [
    'runtime/node/pool/transactionJournal.ts',
  ]),
  ...because('it counts the frames of a WebSocket, which the server decodes', [
    'runtime/serving/frameWatch.ts',
  ]),
  ...because('it counts the bytes of messages of PostgreSQL, which a library decodes', [
    'runtime/drivers/guards/postgresqlGuard.ts',
  ]),
  ...because('another thread of this process wrote the bytes', [
    'runtime/threads/calls/pruned.ts',
    'runtime/threads/calls/remoteStore.ts',
  ]),
}

function because(reason: string, files: readonly string[]): Record<string, string> {
  return Object.fromEntries(files.map(file => [file, reason]))
}

test('given the files that read bytes, when they are compared with the table of codecs, then each is in it, or says why not', () => {
  const listed = new Set(CODECS.flatMap(({ files }) => files))
  const reading = sourceFiles('core', 'handlers', 'p2p', 'runtime')
    .filter(({ text }) => READS.test(codeOf(text)))
    .map(({ path }) => path)
  const missing = reading.filter(path => !listed.has(path) && OTHERS[path] === undefined)
  expect(missing).toEqual([])
})

test('given the table of codecs, when its files are looked for, then each is there, and none is listed twice', () => {
  const paths = new Set(sourceFiles('core', 'handlers', 'p2p', 'runtime').map(({ path }) => path))
  const listed = CODECS.flatMap(({ files }) => files)
  expect([...listed, ...Object.keys(OTHERS)].filter(path => !paths.has(path))).toEqual([])
  expect(Object.keys(OTHERS).filter(path => listed.includes(path))).toEqual([])
})

test('given the table of codecs, when a codec takes other forms, then it says why', () => {
  for (const { name, exception } of CODECS)
    if (exception !== undefined) expect([name, exception.reason.length > 40]).toEqual([name, true])
})
