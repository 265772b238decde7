import { describe, expect, test } from 'bun:test'
import { requestScheduler } from '../../../handlers/inbound/requestScheduler.ts'
import { createCompression } from '../../../handlers/http/compression.ts'
import {
  type AnswerMemory,
  ANSWERS_BYTES_MAX,
  createAnswerMemory,
  RUN_BYTES,
} from '../../../handlers/rpc/answerMemory.ts'
import { keepPlain } from '../../../handlers/rpc/json/jsonPieces.ts'
import { createRpcContext } from '../../../handlers/http/app.ts'
import { EVERYONE } from '../../../handlers/auth/caller.ts'
import { createDispatcher } from '../../../handlers/rpc/dispatch/dispatcher.ts'
import { METHODS } from '../../../handlers/rpc/methods/methodTable.ts'
import { until } from '../../support/until.ts'
import { startTestNode } from '../support/testNode.ts'

const MEGABYTE = 1024 * 1024
const PIECES = Array.from({ length: 8 }, () => keepPlain(new Uint8Array(MEGABYTE).fill(32)))

const respondWith = (memory: AnswerMemory, headers: Record<string, string> = {}) =>
  createCompression(requestScheduler(), true, memory).respond(
    PIECES,
    { headers: new Headers(headers) },
    () => '192.0.2.1',
    { status: 200, headers: {} },
  )

describe('given the memory of long answers', () => {
  test('when several are being sent, then as many runs fit as leave room, and at least one where nothing is held', () => {
    const memory = createAnswerMemory()
    const runsMax = ANSWERS_BYTES_MAX / RUN_BYTES
    expect([memory.hasRoom(runsMax), memory.hasRoom(runsMax + 1)]).toEqual([true, false])
    const release = memory.hold(['x'.repeat(RUN_BYTES)])
    expect([memory.hasRoom(runsMax - 1), memory.hasRoom(runsMax), memory.isFull()]).toEqual([
      true,
      false,
      false,
    ])
    release()
    release()
    expect(memory.hasRoom(runsMax)).toBe(true)
    memory.hold(['x'.repeat(1024)])
    expect(memory.hasRoom(runsMax)).toBe(true)
    const small = createAnswerMemory(MEGABYTE)
    expect([small.hasRoom(1), small.hasRoom(2)]).toEqual([true, false])
  })

  test.each([{}, { 'accept-encoding': 'gzip' }])(
    'when an answer is read or its client leaves (%p), then it is held until then',
    async headers => {
      const memory = createAnswerMemory(RUN_BYTES)
      const read = respondWith(memory, headers)
      expect(memory.hasRoom(1)).toBe(false)
      await read.arrayBuffer()
      expect(memory.hasRoom(1)).toBe(true)
      const left = respondWith(memory, headers)
      expect(memory.hasRoom(1)).toBe(false)
      await left.body?.cancel()
      await until(() => memory.hasRoom(1))
    },
  )

  test('when far too much is being sent, then a search of logs gets the reason, and short answers go on', async () => {
    const node = await startTestNode()
    try {
      const answers = createAnswerMemory(MEGABYTE)
      const context = createRpcContext({ ...node.context, answers })
      const ask = async (method: string, ...params: readonly unknown[]) => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
        const reply = await createDispatcher(METHODS, context).handle(body, EVERYONE)
        return JSON.stringify(reply.body)
      }
      const release = answers.hold(['x'.repeat(3 * MEGABYTE)])
      expect(await ask('eth_getLogs', {})).toContain('Too many requests are in progress')
      expect(await ask('eth_blockNumber')).toContain('result')
      release()
      expect(await ask('eth_getLogs', {})).toContain('[]')
    } finally {
      await node.close()
    }
  })
})
