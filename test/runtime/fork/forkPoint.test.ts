import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { keepForkPoint, openForkPoint } from '../../../runtime/fork/forkPoint.ts'
import { rejection } from '../../support/rejection.ts'
import { withFolder } from '../folder.ts'

const hashOf = (digit: string): string => `0x${digit.repeat(64)}`

const HEADER = {
  ...Object.fromEntries(
    ['parentHash', 'sha3Uncles', 'stateRoot', 'transactionsRoot', 'receiptsRoot', 'mixHash'].map(name => [
      name,
      hashOf('0'),
    ]),
  ),
  miner: `0x${'0'.repeat(40)}`,
  logsBloom: `0x${'0'.repeat(512)}`,
  ...Object.fromEntries(
    ['difficulty', 'gasLimit', 'gasUsed', 'timestamp', 'totalDifficulty'].map(name => [name, '0x1']),
  ),
  extraData: '0x',
  nonce: '0x0000000000000000',
}

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }

/** A network with the head 5 and chain id 7, whose blocks have this digit in their hash. */
const withNetwork = async (digit: string, use: (url: string) => Promise<void>): Promise<void> => {
  const answer = ({ id, method, params }: Call) => ({
    id,
    result:
      method === 'eth_chainId'
        ? '0x7'
        : method === 'eth_blockNumber'
          ? '0x5'
          : { ...HEADER, number: params[0], hash: hashOf(digit) },
  })
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async request => {
      const body = (await request.json()) as Call | readonly Call[]
      return Response.json(Array.isArray(body) ? body.map(answer) : answer(body as Call))
    },
  })
  try {
    await use(`http://127.0.0.1:${server.port}`)
  } finally {
    await server.stop(true)
  }
}

const messageOf = async (opening: Promise<unknown>): Promise<string> =>
  ((await rejection(opening)) as Error).message

test('given a network, when a new chain forks it, then it begins at the head, or at the block that was named', () =>
  withNetwork('a', url =>
    withFolder(async folder => {
      expect(await openForkPoint(folder, true, url, undefined)).toMatchObject({ number: 5, chainId: 7 })
      expect(await openForkPoint(folder, true, url, 2)).toMatchObject({ number: 2 })
      expect(existsSync(join(folder, 'fork.json'))).toBe(false)
    }),
  ))

test('given a network, when a later block than its head is named, then the start is refused with the reason', () =>
  withNetwork('a', url =>
    withFolder(async folder => {
      expect(await messageOf(openForkPoint(folder, true, url, 6))).toContain('before block 6')
    }),
  ))

test('given a folder with another chain, when it is to fork a network, then the start is refused', () =>
  withNetwork('a', url =>
    withFolder(async folder => {
      expect(await messageOf(openForkPoint(folder, false, url, 1))).toContain('give another --data-path')
    }),
  ))

test('given a forked chain, when it starts again, then it keeps its block: another URL must have it, too', () =>
  withNetwork('a', url =>
    withFolder(async folder => {
      const point = await openForkPoint(folder, true, url, 3)
      if (point === undefined) throw new Error('no fork point')
      keepForkPoint(folder, point)
      expect(await openForkPoint(folder, false, undefined, undefined)).toMatchObject({ url, number: 3 })
      expect(await messageOf(openForkPoint(folder, false, undefined, 4))).toContain('forks another block')
      await withNetwork('a', async again => {
        expect(await openForkPoint(folder, false, again, undefined)).toMatchObject({ url: again, number: 3 })
      })
      await withNetwork('b', async other => {
        expect(await messageOf(openForkPoint(folder, false, other, undefined))).toContain(
          'forks another block',
        )
      })
    }),
  ))

test('given no node at the URL, when a new chain forks it, then the start is refused with the reason', () =>
  withFolder(async folder => {
    const message = await messageOf(openForkPoint(folder, true, 'http://127.0.0.1:1', undefined))
    expect(message).toContain('connection refused')
    expect(message).toContain('--fork-url')
  }))
