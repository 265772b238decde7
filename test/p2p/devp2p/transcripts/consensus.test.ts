import { describe, expect, test } from 'bun:test'
import type { Block } from '../../../../core/block/block.ts'
import { toHex } from '../../../../core/bytes/hex.ts'
import { decodeMessage, encodeMessage } from '../../../../core/qbft/codec/message.ts'
import { proposalDigest } from '../../../../core/qbft/codec/roundOfBlock.ts'
import { QBFT_CODES, type QbftMessage } from '../../../../core/qbft/message.ts'
import { commitRule } from '../../../../core/qbft/rules/commit.ts'
import { proposalRule } from '../../../../core/qbft/rules/proposal.ts'
import { roundChangeRule } from '../../../../core/qbft/rules/roundChange.ts'
import { authorOf } from '../../../../core/qbft/signatures.ts'
import { NAMES, openMemoryChain, type Read, readTranscript } from './readTranscript.ts'

const messagesOf = ({ all }: Read, kind: QbftMessage['kind']): readonly QbftMessage[] =>
  all(kind).map(data => decodeMessage(QBFT_CODES[kind], data))

describe.each(NAMES)('given what live validators of a network sent, as %s has it', name => {
  const read = readTranscript(name)
  const { all } = read

  test('when the consensus messages are read, then validators signed them, and they are written alike', async () => {
    const validators = (await (await openMemoryChain(read)).validators(1n)).map(address => toHex(address))
    const dialect = name.startsWith('besu') ? 'blockAccessList' : 'legacy'
    for (const kind of ['proposal', 'prepare', 'commit', 'round-change'] as const) {
      const messages = messagesOf(read, kind)
      expect(messages.length).toBeGreaterThan(0)
      for (const [index, message] of messages.entries()) {
        const code = QBFT_CODES[kind]
        expect(validators).toContain(toHex(authorOf(code, message.signed) ?? new Uint8Array()))
        expect(encodeMessage(message, dialect)).toEqual({ code, data: all(kind)[index] as Uint8Array })
      }
    }
  })

  test('when proposals and round changes are checked, then they are justified, also those of prepared blocks', async () => {
    const chain = await openMemoryChain(read)
    const validators = await chain.validators(1n)
    const justified = { later: 0, prepared: 0, certified: 0 }
    for (const message of [...messagesOf(read, 'proposal'), ...messagesOf(read, 'round-change')]) {
      const { sequence, round } = message.signed.payload
      const context = { validators, sequence }
      if (message.kind === 'proposal') {
        expect(proposalRule(context, message)).toBeUndefined()
        if (round > 0) justified.later++
        if (message.prepares.length > 0) justified.prepared++
      } else if (message.kind === 'round-change') {
        expect(roundChangeRule(context, message)).toBeUndefined()
        if (message.block !== undefined) justified.certified++
      }
    }
    for (const count of Object.values(justified)) expect(count).toBeGreaterThan(0)
  })

  test('when commits are checked against the recorded proposals, then their digests and seals are right', () => {
    const blocks = new Map<string, Block>()
    for (const message of messagesOf(read, 'proposal'))
      if (message.kind === 'proposal') {
        const { block } = message.signed.payload
        blocks.set(toHex(proposalDigest(block)), block)
      }
    let checked = 0
    for (const message of messagesOf(read, 'commit')) {
      if (message.kind !== 'commit') continue
      const { digest } = message.signed.payload
      const block = blocks.get(toHex(digest))
      if (block === undefined) continue
      expect(commitRule(message.signed, block, digest)).toBeUndefined()
      checked++
    }
    expect(checked).toBeGreaterThan(0)
  })
})
