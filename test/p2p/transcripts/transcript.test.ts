import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { decodeBlock } from '../../../core/block/codec/block.ts'
import { fromHex, toHex } from '../../../core/bytes/hex.ts'
import { openChain } from '../../../core/chain/opening/openChain.ts'
import { consensusEntries } from '../../../core/genesis/comparison/consensusEntries.ts'
import { parseGenesisText } from '../../../core/genesis/parse/parse.ts'
import { decodeMessage, encodeMessage } from '../../../core/qbft/codec/message.ts'
import type { QbftCode } from '../../../core/qbft/message.ts'
import { authorOf } from '../../../core/qbft/signatures.ts'
import { decodeRlp, rlpBytes, rlpList } from '../../../core/rlp/rlp.ts'
import { openChainStore } from '../../../core/store/chainStore.ts'
import { blockMessageParts, decodeBlockMessage } from '../../../p2p/blocks/blockMessages.ts'
import { checkEncodings, readBatch } from '../../../p2p/gossip/transactionBatch.ts'
import { enodesOf } from '../../../p2p/peers/peerExchange.ts'
import { decodeStatusMessage, encodeStatusMessage } from '../../../p2p/peers/statusMessage.ts'
import { openStorage } from '../../../runtime/drivers/open.ts'
import { testAddress } from '../../runtime/genesis.ts'
import type { Transcript } from './transcript.ts'

const SUFFIX = '.json.gz'
const RELEASES = readdirSync(import.meta.dirname)
  .filter(name => name.endsWith(SUFFIX))
  .map(name => name.slice(0, -SUFFIX.length))

const VALIDATORS = [1, 2, 3].map(index => toHex(testAddress(index)))

describe.each(RELEASES)('given what validators of the release of %s sent', release => {
  const path = join(import.meta.dirname, release + SUFFIX)
  const transcript = JSON.parse(gunzipSync(readFileSync(path)).toString()) as Transcript
  const genesis = parseGenesisText(transcript.genesis)
  const framesOf = (protocol: string): readonly Uint8Array[] => {
    const frames = (transcript.frames[protocol] ?? []).map(text => fromHex(text))
    expect(frames.length).toBeGreaterThan(0)
    return frames
  }

  test('when its statuses are read, then they are of the same chain by all entries of the genesis file', () => {
    const messages = framesOf('status').map(decodeStatusMessage)
    for (const message of messages) expect(decodeStatusMessage(encodeStatusMessage(message))).toEqual(message)
    const first = messages.find(message => message.kind === 'status')
    const [block] = framesOf('ranges')
      .slice(0, 1)
      .map(frame => decodeBlock(frame))
    expect(first?.status).toMatchObject({
      genesisHash: block?.header.parentHash,
      networkId: genesis.configuration.chainId,
      configuration: consensusEntries(genesis),
    })
    expect(new Set(messages.map(({ kind }) => kind)).size).toBeGreaterThan(1)
  })

  test('when its consensus messages are read, then each kind is signed by a validator and encodes to the same bytes', () => {
    const kinds = new Set<string>()
    for (const frame of framesOf('consensus')) {
      const [code] = frame as unknown as [QbftCode]
      const data = frame.subarray(1)
      const message = decodeMessage(code, data)
      kinds.add(message.kind)
      const author = authorOf(code, message.signed)
      expect(VALIDATORS).toContain(author === undefined ? 'nobody' : toHex(author))
      expect(encodeMessage(message, 'blockAccessList')).toEqual({ code, data })
    }
    expect([...kinds].sort()).toEqual(['commit', 'prepare', 'proposal', 'round-change'])
  })

  test('when its blocks are read, then they follow the genesis block and are valid', async () => {
    const store = await openChainStore(await openStorage('memory', ''))
    const onError = (error: unknown): never => {
      throw error
    }
    const chain = await openChain({ genesis, store, onError })
    const blocks = framesOf('ranges').filter(frame => frame.length > 0)
    for (const frame of blocks) await chain.importBlock(decodeBlock(frame), { nowMs: Date.now() })
    expect(chain.head().header.number).toBe(BigInt(blocks.length))
    const sent = framesOf('blocks').map(decodeBlockMessage)
    const kinds = sent.map(({ kind }) => kind)
    expect(kinds).toContain('announcement')
    const whole = sent.find(message => message.kind === 'block')
    expect(decodeBlock(whole?.block as Uint8Array).header).toEqual(
      decodeBlock(blocks[0] as Uint8Array).header,
    )
    framesOf('blocks').forEach((frame, index) =>
      expect(Buffer.concat(blockMessageParts(sent[index] as (typeof sent)[0]))).toEqual(Buffer.from(frame)),
    )
    await store.close()
  })

  test('when its transactions and enodes are read, then they are valid', async () => {
    for (const frame of framesOf('transactions')) await checkEncodings(readBatch(frame), () => undefined)
    for (const frame of framesOf('peers')) {
      const texts = rlpList(decodeRlp(frame), 'enodes').map(item =>
        new TextDecoder().decode(rlpBytes(item, 'an enode')),
      )
      expect(enodesOf(texts)).toHaveLength(texts.length)
    }
  })
})
