/**
 * Runs a real Hardhat project and a real Foundry project against a development chain: `bun run projects [FOLDER]`.
 * Needs the npm registry; Hardhat runs on Node 24 from `node_modules`. A kept folder is not installed again.
 */
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startNode } from '../../runtime/nodeProcess.ts'
import { runProgram } from '../../support/programs/runProgram.ts'

/** The first account of the mnemonic of development chains. */
const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const SENDER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const STEP_TIMEOUT_MS = 10 * 60_000
const BROADCAST = 'broadcast/Deploy.s.sol/1337/run-latest.json'
const NODE_FOLDER = join(import.meta.dir, '../../../node_modules/node/bin')

const keepIn = process.argv[2] === undefined ? undefined : resolve(process.argv[2])
const root = keepIn ?? mkdtempSync(join(tmpdir(), 'quorate-projects-'))

type Project = { readonly folder: string; readonly environment: Readonly<Record<string, string>> }

/** Runs a command in a project. @throws if it fails */
const run = async (
  { folder, environment }: Project,
  what: string,
  command: readonly string[],
): Promise<string> => {
  const started = performance.now()
  const out = await runProgram(command, folder, {
    environment: { ...environment, PATH: `${NODE_FOLDER}:${process.env['PATH']}`, CI: 'true' },
    timeoutMs: STEP_TIMEOUT_MS,
  })
  console.log(`${what}: ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return out
}

/** Where each project expects the contract of both. */
const CONTRACT = { foundry: 'src/Counter.sol', hardhat: 'contracts/Counter.sol' } as const

const prepare = async (name: keyof typeof CONTRACT): Promise<Project> => {
  const folder = join(root, name)
  mkdirSync(folder, { recursive: true })
  cpSync(join(import.meta.dir, name), folder, { recursive: true })
  cpSync(join(import.meta.dir, 'Counter.sol'), join(folder, CONTRACT[name]))
  const solc = join(root, 'solc.cjs')
  cpSync(join(import.meta.dir, 'solc.cjs'), solc)
  chmodSync(solc, 0o755)
  const project = { folder, environment: { PROJECT: folder, FOUNDRY_SOLC: solc } }
  if (!existsSync(join(folder, 'node_modules')))
    await run(project, `${name}: install`, [process.execPath, 'install', '--no-save'])
  return project
}

const hardhat = async (project: Project, url: string): Promise<void> => {
  const { folder } = project
  const environment = { NODE_URL: url, SOLC: join(folder, 'node_modules/solc/soljson.js') }
  const out = await run({ folder, environment }, 'hardhat test, with network helpers and Ignition', [
    'node',
    'node_modules/hardhat/dist/src/cli.js',
    'test',
    'nodejs',
  ])
  console.log(/\d+ passing/.exec(out)?.[0])
}

const foundry = async (project: Project, url: string): Promise<void> => {
  const program = (name: string): string => `node_modules/@foundry-rs/${name}-linux-amd64/bin/${name}`
  const at = ['--rpc-url', url]
  const script = ['script', 'script/Deploy.s.sol', ...at, '--broadcast', '--private-key', KEY]
  await run(project, 'forge script --broadcast', [program('forge'), ...script])
  const sent = JSON.parse(readFileSync(join(project.folder, BROADCAST), 'utf8')) as {
    readonly transactions: readonly { readonly contractAddress: string }[]
  }
  const deployed = sent.transactions[0]?.contractAddress ?? ''
  const forked = { ...project, environment: { ...project.environment, DEPLOYED: deployed } }
  const out = await run(forked, 'forge test --fork-url', [program('forge'), 'test', '--fork-url', url])
  console.log(/\d+ tests passed/.exec(out)?.[0])
  const cast = (...args: readonly string[]) =>
    run(project, `cast ${args[0]}`, [program('cast'), ...args, ...at])
  await cast('send', '--unlocked', '--from', SENDER, deployed, 'add(uint256)', '3')
  const count = await cast('call', deployed, 'count()(uint256)')
  if (count.trim() !== '10') throw new Error(`the counter is ${count}`)
}

const node = await startNode(mkdtempSync(join(tmpdir(), 'quorate-node-')), [
  '--dev-client-version=anvil/v1.7.1',
])
try {
  await foundry(await prepare('foundry'), node.url)
  await hardhat(await prepare('hardhat'), node.url)
} finally {
  await node.kill()
  if (keepIn === undefined) rmSync(root, { recursive: true, force: true })
}
