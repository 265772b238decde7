import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../../../runtime/devnet/ports.ts'
import { ROOT } from '../../runtime/nodeProcess.ts'
import { RUNTIME_COMMANDS } from '../programs/runtimeCommands.ts'
import { until } from '../until.ts'

/** The program itself, not the script around it, which is another process. */
const WORKERD = createRequire(join(ROOT, 'node_modules/wrangler/package.json'))('workerd') as {
  readonly default: string
}
const WRANGLER = join(ROOT, 'node_modules/wrangler/bin/wrangler.js')

/** Bundles the Worker as a deployment does. */
export const bundleWorker = (folder: string): void => {
  const [program, ...words] = RUNTIME_COMMANDS.node
  const { status, stderr } = spawnSync(
    program,
    [...words, WRANGLER, 'deploy', '--dry-run', '--env=', `--outdir=${folder}`],
    { cwd: ROOT, encoding: 'utf8', env: { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: 'true' } },
  )
  if (status !== 0) throw new Error(`the Worker cannot be bundled: ${stderr}`)
}

/** Text of a Cap'n Proto configuration. */
const quoted = (text: string): string => JSON.stringify(text)

const configuration = (
  port: number,
  modules: readonly string[],
  variables: Readonly<Record<string, string>>,
): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "objects", disk = (path = "objects", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [${modules.map(name => (name.endsWith('.wasm') ? `(name = ${quoted(`./${name}`)}, wasm = embed ${quoted(name)})` : `(name = ${quoted(name)}, esModule = embed ${quoted(name)})`)).join(', ')}],
  compatibilityDate = "2026-06-01",
  compatibilityFlags = ["nodejs_compat"],
  durableObjectNamespaces = [(className = "ChainObject", uniqueKey = "chain", enableSql = true)],
  durableObjectStorage = (localDisk = "objects"),
  bindings = [
    (name = "CHAIN", durableObjectNamespace = "ChainObject"),
    ${Object.entries(variables)
      .map(([name, value]) => `(name = ${quoted(name)}, text = ${quoted(value)})`)
      .join(',\n    ')}
  ]
);
`

export type WorkerdProcess = {
  readonly url: string
  readonly pid: number
  readonly output: () => string
  readonly stop: () => Promise<void>
}

/**
 * Runs a bundle in workerd alone, without wrangler and miniflare, whose own Workers share the process with it: for
 * measurements. The store is a Durable Object.
 * @param objects folder of the Durable Object's data, which outlives the process; by default one that does not
 */
export const startWorkerd = async (
  bundle: string,
  variables: Readonly<Record<string, string>>,
  objects?: string,
): Promise<WorkerdProcess> => {
  const [port] = await freePorts(1)
  const folder = mkdtempSync(join(tmpdir(), 'quorate-workerd-'))
  if (objects === undefined) mkdirSync(join(folder, 'objects'))
  else symlinkSync(objects, join(folder, 'objects'))
  const modules = readdirSync(bundle).filter(name => name === 'main.js' || name.endsWith('.wasm'))
  for (const name of modules) symlinkSync(join(bundle, name), join(folder, name))
  writeFileSync(
    join(folder, 'config.capnp'),
    configuration(port as number, ['main.js', ...modules.filter(name => name !== 'main.js')], variables),
  )
  const child = spawn(WORKERD.default, ['serve', 'config.capnp'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', data => void (output += String(data)))
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise(resolve => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  }
  const url = `http://127.0.0.1:${port}`
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`workerd ended: ${output}`)
      return fetch(`${url}/liveness`).then(
        () => true,
        () => false,
      )
    })
  } catch (error) {
    await stop()
    throw error
  }
  return { url, pid: child.pid as number, output: () => output, stop }
}
