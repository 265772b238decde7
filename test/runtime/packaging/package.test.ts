import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { RUNTIME_COMMANDS, RUNTIMES } from '../../support/programs/runtimeCommands.ts'
import { isInstalled, ROOT, startNode } from '../nodeProcess.ts'
import { runProgram } from '../../support/programs/runProgram.ts'
import { clientsOf } from '../transactions.ts'
import { installIn, packIn } from './packed.ts'

const TIMEOUT_MS = 240_000

const EXAMPLES = join(ROOT, 'test/examples')

/** Printed after each example. */
const END = 'end of the example'

/** With a thread for long calls and one for the network. */
const OPTIONS = [
  '--rpc-workers=1',
  '--p2p-enabled',
  '--p2p-interface=127.0.0.1',
  '--graphql-http-enabled',
  '--graphql-http-port=0',
]

let folder = ''
let project = ''

/** The package as it was installed. */
const installed = (path: string): string => join(project, 'node_modules/quorate', path)

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-package-'))
  project = await installIn(folder, await packIn(folder))
  cpSync(EXAMPLES, project, { recursive: true })
  const imports = ['consensus', 'call', 'mounted'].map(
    name => `await import('./${name}.ts')\nconsole.log('${END}')\n`,
  )
  writeFileSync(join(project, 'examples.mjs'), imports.join(''))
}, TIMEOUT_MS)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('given the packed package in an empty folder', () => {
  test('when its files are listed, then there is no test and no source, and every URL of a file leads to one', () => {
    const files = readdirSync(installed('.'), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name))
    expect(files.filter(path => /\/test\/|(?<!\.d)\.ts$/.test(path.slice(project.length)))).toEqual([])
    const missing = files
      .filter(path => path.endsWith('.js'))
      .flatMap(path =>
        [...readFileSync(path, 'utf8').matchAll(/new URL\(['"](\.[^'"]*)['"], ?import\.meta\.url\)/g)]
          .map(match => resolve(dirname(path), match[1] as string))
          .filter(target => !existsSync(target)),
      )
    expect(missing).toEqual([])
  })

  test(
    'when a program is compiled against it, then its types are found',
    async () => {
      const options = { module: 'nodenext', target: 'esnext', strict: true, noEmit: true, skipLibCheck: true }
      const types = [join(ROOT, 'node_modules/bun-types')]
      writeFileSync(
        join(project, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: { ...options, types }, include: ['*.ts'] }),
      )
      await runProgram([join(ROOT, 'node_modules/.bin/tsc'), '--project', project], project)
    },
    TIMEOUT_MS,
  )

  test('when `npx quorate` is asked for its version and its help, then it names itself as installed', async () => {
    const path = `${join(ROOT, 'node_modules/node/bin')}:${process.env['PATH']}`
    const both = 'quorate --version && quorate --help'
    const out = await runProgram(['npx', '--no-install', '-c', both], project, {
      environment: { PATH: path },
    })
    expect(out).toMatch(/^quorate\/v\d+\.\d+\.\d+\nUsage: quorate \[OPTIONS\]/)
    expect(out).not.toContain('bun run')
  })

  test(
    'when the Worker is bundled from it, then with its modules of WebAssembly',
    async () => {
      writeFileSync(join(project, 'edge.ts'), "export { ChainObject, default } from 'quorate/worker'\n")
      writeFileSync(
        join(project, 'wrangler.toml'),
        'name = "edge"\nmain = "edge.ts"\ncompatibility_date = "2026-06-01"\ncompatibility_flags = ["nodejs_compat"]\n',
      )
      const wrangler = join(ROOT, 'node_modules/wrangler/bin/wrangler.js')
      const output = join(project, 'bundle')
      await runProgram(
        [RUNTIME_COMMANDS.node[0], wrangler, 'deploy', '--dry-run', `--outdir=${output}`],
        project,
        { environment: { WRANGLER_SEND_METRICS: 'false', CI: 'true' } },
      )
      const modules = readdirSync(output).filter(name => name.endsWith('.wasm'))
      expect(modules.map(name => name.replace(/^\w+-/, '')).sort()).toEqual(['hashes.wasm', 'secp256k1.wasm'])
    },
    TIMEOUT_MS,
  )

  describe.each(RUNTIMES.filter(isInstalled).map(runtime => [runtime] as const))('on %s', runtime => {
    const run = (name: string, ...words: readonly string[]): Promise<string> =>
      runProgram([...RUNTIME_COMMANDS[runtime], join(project, name), ...words], project)

    let printed: readonly string[] = []

    beforeAll(async () => {
      // In one process: each start of a runtime loads the package again.
      printed = (await run('examples.mjs')).split(`${END}\n`)
    }, TIMEOUT_MS)

    test('when four validators are driven, then each imports the same block with a quorum of seals', () => {
      const lines = (printed[0] as string).trimEnd().split('\n')
      const said = lines.map(line => line.replace(/^0x[0-9a-f]{40} /, ''))
      expect(lines).toHaveLength(4)
      expect(new Set(said).size).toBe(1)
      expect(said[0]).toMatch(/^imports block 1 with 3 seals: 0x[0-9a-f]{64}$/)
    })

    test('when a call is executed, then it gives what the code returns', () => {
      expect(printed[1]).toBe('success true, output 42, gas 21024\n')
    })

    test('when the handler is mounted in another application, then it answers eth_getBalance', () => {
      expect(JSON.parse(printed[2] as string)).toEqual({
        jsonrpc: '2.0',
        id: 1,
        result: '0x21e19e0c9bab2400000',
      })
    })

    test(
      'when a development chain is started, then it answers, its threads run, and its answers can be proved',
      async () => {
        const program = installed('dist/runtime/main.js')
        const dataPath = join(folder, `data-${runtime}`)
        const node = await startNode(dataPath, OPTIONS, { runtime, program })
        try {
          expect(await node.rpc<string>('web3_clientVersion')).toContain(`/${runtime}-`)
          // Long enough to be given to a thread.
          const code = { '0x00000000000000000000000000000000000000c0': { code: '0x5b600056' } }
          const call = { to: '0x00000000000000000000000000000000000000c0', gas: '0xf4240' }
          const failure = await node.rpc('eth_call', call, 'latest', code).catch(String)
          expect(failure).toContain('Out of gas')
          const page = await fetch(`${node.graphqlUrl}/graphql`, { headers: { accept: 'text/html' } })
          expect(await page.text()).toContain('GraphiQL is not installed')
          const { account, wallet, reader } = clientsOf(node.url)
          const { blockHash } = await reader.waitForTransactionReceipt({
            hash: await wallet.sendTransaction({ to: account.address }),
          })
          const balance = await reader.getBalance({ address: account.address })
          expect(await run('verify.ts', join(dataPath, 'genesis.json'), node.url, account.address)).toBe(
            `block 1 ${blockHash}: ${balance} wei, nonce 1\n`,
          )
        } finally {
          expect(await node.stop()).toBe(0)
        }
        expect(node.output()).not.toMatch(/\b(?:WARN|ERROR|warn|error)\b/)
      },
      TIMEOUT_MS,
    )
  })
})
