import { collectOutput } from '../../support/programs/collectOutput.ts'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../support/until.ts'
import { PROCESS_TEST_TIMEOUT_MS, ROOT } from '../nodeProcess.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const PACKAGING = join(ROOT, 'runtime/packaging')
const UNITS = join(PACKAGING, 'systemd')
const IMAGE_BYTES_MAX = 200e6

const canChroot = process.getuid?.() === 0 && Bun.which('chroot') !== null
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
const isX64 = process.platform === 'linux' && process.arch === 'x64'

let folder: string
let binary: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-binary-'))
  binary = join(folder, 'quorate-linux-x64')
  if (isX64)
    execFileSync(process.execPath, [join(PACKAGING, 'binary.ts'), folder, 'x64'], {
      cwd: ROOT,
      stdio: 'pipe',
    })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Running = { readonly output: () => string; readonly stop: () => Promise<number> }

/** Starts the binary and waits until its output has this: by default that a node listens. */
const start = async (
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  started = /Listening on/,
): Promise<Running> => {
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', NO_COLOR: '1', ...environment },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const output = collectOutput(child)
  await until(
    () => {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it ended: ${output()}`)
      return started.test(output())
    },
    { timeoutMs: PROCESS_TEST_TIMEOUT_MS },
  )
  return {
    output,
    stop: async () => {
      child.kill('SIGTERM')
      return child.exited
    },
  }
}

const ARGUMENTS = ['--rpc-http-port=0', '--p2p-port=0', '--p2p-enabled']

const call = async (output: string): Promise<unknown> => {
  const [, port] = /Listening on 127\.0\.0\.1:(\d+)/.exec(output) as RegExpExecArray
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_call',
      params: [{ to: `0x${'ff'.repeat(20)}` }, 'latest'],
    }),
  })
  return ((await response.json()) as { readonly result: unknown }).result
}

describe.if(isX64)('given the binary for this machine', () => {
  test('when it starts, then its threads start, it answers, and it tells systemd that it is ready and that it stops', async () => {
    const told = join(folder, 'told')
    writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$@" >> ${told}\n`, { mode: 0o755 })
    const node = await start([binary, `--data-path=${join(folder, 'data')}`, ...ARGUMENTS], {
      PATH: `${folder}:${process.env.PATH}`,
      NOTIFY_SOCKET: join(folder, 'socket'),
    })
    expect(await call(node.output())).toBe('0x')
    expect(node.output()).not.toContain('WARN')
    await until(() => existsSync(told))
    expect(await node.stop()).toBe(0)
    expect(readFileSync(told, 'utf8')).toBe('--ready\n--stopping\n')
  })

  test('when it starts, then its code is compiled already', () => {
    const env = { BUN_JSC_verboseDiskCache: '1' }
    const { stderr } = spawnSync(binary, ['--version'], { encoding: 'utf8', env })
    expect(stderr).toContain('Cache hit for sourceCode')
  })

  test('when it runs a network, then its nodes are the same binary, and blocks come', async () => {
    const ports = ['--rpc-http-port=0', '--p2p-port=0']
    const command = [binary, 'network', `--data-path=${join(folder, 'network')}`, '--validators=1', ...ports]
    const network = await start(command, {}, /^#1 .* 1 of 1 seals$/m)
    expect(await network.stop()).toBe(0)
  })

  test.if(canChroot)(
    'when the root of its container is made, then it has less than 200 MB, and the binary runs in it without rights',
    async () => {
      const root = join(folder, 'root')
      execFileSync(join(PACKAGING, 'rootfs.sh'), [binary, root], { stdio: 'pipe' })
      const sizes = readdirSync(root, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => Bun.file(join(entry.parentPath, entry.name)).size)
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(IMAGE_BYTES_MAX)
      // A container engine provides these.
      execFileSync('mkdir', [join(root, 'dev'), join(root, 'proc')])
      execFileSync('mknod', ['-m', '666', join(root, 'dev/null'), 'c', '1', '3'])
      execFileSync('mknod', ['-m', '666', join(root, 'dev/urandom'), 'c', '1', '9'])
      execFileSync('mount', ['-t', 'proc', 'proc', join(root, 'proc')])
      try {
        const inside = ['chroot', '--userspec=10001:10001', root, '/usr/local/bin/quorate']
        const node = await start([...inside, '--data-path=/data', ...ARGUMENTS], { TMPDIR: '/data' })
        expect(await call(node.output())).toBe('0x')
        expect(await node.stop()).toBe(0)
      } finally {
        execFileSync('umount', [join(root, 'proc')])
      }
    },
  )

  test.if(hasSystemd).each(readdirSync(UNITS))('when systemd reads %s, then it has no complaint', unit => {
    const path = join(folder, unit)
    // Only the place of the program differs.
    writeFileSync(path, readFileSync(join(UNITS, unit), 'utf8').replace('/usr/local/bin/quorate', binary))
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  })
})
