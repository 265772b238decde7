/**
 * Writes what three validators of a release send to the fourth one as a fixture of `transcript.test.ts`; of this checkout, or of
 * another one of which the `runtime/main.ts` is given: `bun test/p2p/transcripts/makeTranscript.ts <name> [<program>]`.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import { consensusEntries } from '../../../core/genesis/comparison/consensusEntries.ts'
import { parseGenesisText } from '../../../core/genesis/parse/parse.ts'
import { blockMessageParts } from '../../../p2p/blocks/blockMessages.ts'
import { encodeRangeRequest } from '../../../p2p/blocks/rangeRequest.ts'
import { encodeFrame } from '../../../p2p/transport/frames.ts'
import { readFrames } from '../../../p2p/transport/readFrames.ts'
import { STATUS_PROTOCOL } from '../../../p2p/transport/protocols.ts'
import { encodedTransfer } from '../../attack/transfers.ts'
import { createCluster } from '../../cluster/support/cluster.ts'
import { testKey } from '../../runtime/genesis.ts'
import { until } from '../../support/until.ts'
import { dialRaw, type RawPeer } from '../rawPeer.ts'
import type { Transcript } from './transcript.ts'

/** Frames of one kind that are kept. */
const KEPT = 12
const BLOCKS = 4
const PATIENCE = { timeoutMs: 120_000, pollMs: 100 }
const CONSENSUS_CODES = 4
const STATUS_KINDS = 2

const [name, program] = process.argv.slice(2)
if (name === undefined) throw new Error('give the name of the transcript')

const frames: Record<string, string[]> = {}
const keyOf = (protocol: string): string =>
  protocol === STATUS_PROTOCOL ? 'status' : (protocol.split('/').at(-2) as string)

/** The first byte is the kind, where a protocol has several. */
const keep = (key: string, frame: Uint8Array): void => {
  const kept = (frames[key] ??= [])
  const kind = key === 'status' || key === 'consensus' || key === 'blocks' ? frame[0] : undefined
  const same = kept.filter(text => kind === undefined || fromHex(text)[0] === kind)
  if (same.length < KEPT) kept.push(toHex(frame))
}

const kindsOf = (key: string): number => new Set(frames[key]?.map(text => fromHex(text)[0])).size

const ask = async (raw: RawPeer, protocol: string, key: string, request?: Uint8Array): Promise<void> => {
  const stream = await raw.open(protocol)
  if (request !== undefined) stream.send(encodeFrame(request))
  for await (const frame of readFrames(stream, { bytesMax: 2 ** 24, silenceMs: 10_000 })) keep(key, frame)
}

const folder = mkdtempSync(join(tmpdir(), 'quorate-transcript-'))
const cluster = await createCluster({
  folder,
  validators: 4,
  nodes: 4,
  ...(program === undefined ? {} : { program }),
})
try {
  await cluster.start(1, 2, 3)
  const genesis = readFileSync(join(folder, 'genesis.json'), 'utf8')
  const parsed = parseGenesisText(genesis)
  const genesisHash = fromHex((await cluster.block(1, 0))?.hash as string)
  const enode = await cluster.node(1).rpc<string>('net_enode')
  const raw = await dialRaw(enode, testKey(4), genesisHash, (protocol, frame) => keep(keyOf(protocol), frame))
  try {
    raw.host.services.pubsub.subscribe(raw.protocols.transactions)
    raw.host.services.pubsub.addEventListener('gossipsub:message', ({ detail }) =>
      keep('transactions', detail.msg.data),
    )
    await raw.shakeHands({
      networkId: parsed.configuration.chainId,
      genesisHash,
      configuration: consensusEntries(parsed),
      headHash: genesisHash,
    })
    await until(async () => (await cluster.head(1)) >= BLOCKS, PATIENCE)
    let nonce = 0
    await until(async () => {
      await cluster.node(1).rpc('eth_sendRawTransaction', encodedTransfer(nonce++))
      return frames['transactions'] !== undefined
    }, PATIENCE)
    await ask(raw, raw.protocols.ranges, 'ranges', encodeRangeRequest({ from: 1n, count: BLOCKS }))
    await ask(raw, raw.protocols.peers, 'peers')
    const block = await cluster.block(1, 1)
    const wanted = await raw.open(raw.protocols.blocks)
    wanted.send(encodeFrame(...blockMessageParts({ kind: 'request', hash: fromHex(block?.hash as string) })))
    await until(
      () =>
        kindsOf('consensus') >= CONSENSUS_CODES &&
        kindsOf('status') >= STATUS_KINDS &&
        kindsOf('blocks') >= 2,
      PATIENCE,
    )
  } finally {
    console.log(
      Object.entries(frames)
        .map(([key, kept]) => `${key} ${kept.length} (${kindsOf(key)} kinds)`)
        .join(', '),
    )
    await raw.stop()
  }
  const transcript: Transcript = { genesis, frames }
  writeFileSync(
    join(import.meta.dirname, `${name}.json.gz`),
    gzipSync(JSON.stringify(transcript), { level: 9 }),
  )
} finally {
  await cluster.end()
  rmSync(folder, { recursive: true, force: true })
}
