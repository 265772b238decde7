import { describe, expect } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { toBareHex } from '../../core/bytes/hex.ts'
import { startTestNode } from './networks.ts'
import { independent } from '../support/scenario.ts'
import { until } from '../support/until.ts'

const ROOT = join(import.meta.dir, '../..')

const PROGRAMS = {
  bun: [process.execPath],
  node: [join(ROOT, 'node_modules/node/bin/node')],
  deno: [join(ROOT, 'node_modules/deno/deno'), 'run', '-A'],
} as const satisfies Record<string, readonly [string, ...string[]]>

type Runtime = keyof typeof PROGRAMS

const isInstalled = (runtime: Runtime): boolean => existsSync(PROGRAMS[runtime][0])

type PeerProcess = {
  /** What it printed, line by line. */
  readonly lines: string[]
  readonly errors: string[]
  signal(name: 'SIGSTOP' | 'SIGKILL' | 'SIGTERM'): void
  readonly exited: Promise<number>
  /** Null while it runs. */
  exitCode(): number | null
}

const startPeer = (runtime: Runtime, ...args: readonly string[]): PeerProcess => {
  const child = Bun.spawn([...PROGRAMS[runtime], join(import.meta.dir, 'peerProcess.ts'), ...args], {
    cwd: ROOT,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const collect = async (stream: ReadableStream<Uint8Array>, lines: string[]): Promise<void> => {
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of stream) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = parts.pop() ?? ''
      lines.push(...parts)
    }
  }
  const lines: string[] = []
  const errors: string[] = []
  void collect(child.stdout, lines)
  void collect(child.stderr, errors)
  return {
    lines,
    errors,
    signal: name => child.kill(name),
    exited: child.exited,
    exitCode: () => child.exitCode,
  }
}

/** Before it was asked to, or about to. */
const hasEnded = (peer: PeerProcess): boolean => peer.errors.length > 0 || peer.exitCode() !== null

const privateKey = (): string => toBareHex(randomBytes(32))

const RECEIVED = ['consensus true', 'announcement true', 'range true', 'transactions true']

const PAIRS: readonly (readonly [Runtime, Runtime])[] = [
  ['bun', 'node'],
  ['node', 'deno'],
  ['deno', 'bun'],
]

// It waits longest, so that it begins first.
describe('given a suspended process', () => {
  independent(
    'when it stays suspended, then it counts as disconnected after a while; a killed one does at once',
    async () => {
      const key = randomBytes(32)
      const node = await startTestNode({ privateKey: key })
      const still = startPeer('bun', privateKey(), node.network.enode)
      const killed = startPeer('bun', privateKey(), node.network.enode)
      try {
        // What they tell after the handshake comes over connections that stand on both sides.
        await until(() => node.connections === 2 && node.statuses.length >= 2)
        killed.signal('SIGKILL')
        await until(() => node.disconnected.length === 1)
        still.signal('SIGSTOP')
        await until(() => node.disconnected.length === 2)
        expect(node.disconnected[1]?.reason).toBe('silent for 12 s')
      } finally {
        still.signal('SIGKILL')
        killed.signal('SIGKILL')
        await node.stop()
      }
    },
  )
})

describe.each(PAIRS)('given a node on %s and one on %s', (first, second) => {
  independent.skipIf(!isInstalled(first) || !isInstalled(second))(
    'when they connect, then a block of 5 MB crosses in every way, and both processes end',
    async () => {
      const a = startPeer(first, privateKey())
      let b: PeerProcess | undefined
      try {
        await until(() => a.lines.length > 0 || hasEnded(a))
        expect([a.errors, a.exitCode()]).toEqual([[], null])
        b = startPeer(second, privateKey(), a.lines[0] as string)
        const both = [a, b]
        await until(() => both.every(({ lines }) => lines.length > RECEIVED.length) || both.some(hasEnded))
        expect([a.errors, b.errors]).toEqual([[], []])
        expect(a.lines.slice(1)).toEqual(RECEIVED)
        expect(b.lines.slice(1)).toEqual(RECEIVED)
        a.signal('SIGTERM')
        b.signal('SIGTERM')
        expect([await a.exited, await b.exited]).toEqual([0, 0])
        expect([a.lines.at(-1), b.lines.at(-1)]).toEqual(['stopped', 'stopped'])
      } finally {
        a.signal('SIGKILL')
        b?.signal('SIGKILL')
      }
    },
  )
})
