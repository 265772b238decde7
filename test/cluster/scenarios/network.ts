import { expect } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startNetwork, urlsIn } from '../../runtime/networkProcess.ts'
import { until } from '../support/waiting.ts'
import { scenario } from '../../support/scenario.ts'

const isSilent = async (url: string): Promise<boolean> => {
  try {
    await fetch(`${url}/liveness`)
    return false
  } catch {
    return true
  }
}

const allSilent = async (output: string): Promise<boolean> =>
  (await Promise.all(urlsIn(output).map(isSilent))).every(Boolean)

/** Numbers of the blocks that were shown. */
const shownIn = (output: string): readonly number[] =>
  [...output.matchAll(/^#(\d+) +validator[12] +round \d+ +\d+ tx +2 of 2 seals$/gm)].map(match =>
    Number(match[1]),
  )

scenario('given `network` with two validators', ({ afterAll, test }) => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-network-'))
  const args = ['--validators=2', '--block-period-ms=200']
  let last = 0

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('then it shows the endpoints, and who proposed which block in which round, and when and why blocks stop; told to stop, all nodes do', async () => {
    const network = startNetwork(folder, ...args)
    await until('three blocks', async () => shownIn(network.output()).length >= 3)
    expect(urlsIn(network.output())).toHaveLength(3)
    // One of two validators is no quorum.
    process.kill(Number(/validator2 .* pid (\d+)$/m.exec(network.output())?.[1]))
    await until('the reason', async () =>
      /^\S+ Blocks have stopped\. No block for .*: 1 of 2 validators/m.test(network.output()),
    )
    const restarted = Bun.spawn([join(folder, 'validator2', 'start.sh')], {
      stdout: 'ignore',
      stderr: 'ignore',
    })
    await until('further blocks', async () => /^\S+ Blocks continue\.$/m.test(network.output()))
    restarted.kill()
    expect(await network.end('SIGTERM')).toBe(0)
    await restarted.exited
    expect(network.output()).toEndWith('\nStopping the nodes; each finishes its block first\nStopped\n')
    expect(await allSilent(network.output())).toBe(true)
    last = shownIn(network.output()).at(-1) as number
  })

  test('when it is started again, then the chain goes on; when it is killed, its nodes end as well', async () => {
    const genesis = readFileSync(join(folder, 'genesis.json'), 'utf8')
    const network = startNetwork(folder, ...args)
    await until('a block', async () => shownIn(network.output()).length >= 1)
    expect(shownIn(network.output())[0]).toBeGreaterThan(last)
    expect(readFileSync(join(folder, 'genesis.json'), 'utf8')).toBe(genesis)
    await network.end('SIGKILL')
    await until('the end of every node', () => allSilent(network.output()))
  })

  test('when another number of validators is asked for, then it names the network in the folder', async () => {
    const network = startNetwork(folder, '--validators=3')
    await until('the reason', async () =>
      network.output().includes('holds a network of 2 validators: start it with --validators=2'),
    )
    expect(await network.end('SIGTERM')).not.toBe(0)
  })

  test('when something listens at one of its ports, then it names it and the options, and makes nothing', async () => {
    const other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('another node') })
    const untouched = join(folder, 'untouched')
    try {
      const network = startNetwork(untouched, ...args, `--rpc-http-port=${other.port}`)
      expect(await network.exited).toBe(1)
      await until('the reason', async () => network.output().includes('--rpc-http-port and --p2p-port'))
      expect(network.output()).toContain(`Port(s) '[${other.port}`)
      expect(existsSync(untouched)).toBe(false)
    } finally {
      await other.stop(true)
    }
  })
})
