import { spawn, spawnSync } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { RUNTIME_COMMANDS, RUNTIMES, type RuntimeName } from '../support/runtimeCommands.ts'

const DEVP2P = process.env['DEVP2P'] ?? 'devp2p'
const PEER = fileURLToPath(new URL('../p2p/devp2p/peerProcess.ts', import.meta.url))
/** The check waits for ever for a hello that does not come. */
const PING_MS_MAX = 20_000

/** Starts a node that listens, and resolves with its enode URL. */
const listen = async (runtime: RuntimeName) => {
  const [file, ...given] = RUNTIME_COMMANDS[runtime]
  const child = spawn(file, [...given, PEER], { stdio: ['ignore', 'pipe', 'inherit'] })
  const enode = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (data: Uint8Array) => resolve(new TextDecoder().decode(data).trim()))
    child.once('error', reject)
    child.once('exit', code => reject(new Error(`the listener ended with code ${code}`)))
  })
  return { enode, child }
}

if (spawnSync(DEVP2P, ['--version']).error !== undefined) {
  console.log('skipped: there is no devp2p on the path, and DEVP2P names none')
  process.exit(0)
}
let failed = 0
for (const runtime of RUNTIMES) {
  const { enode, child } = await listen(runtime)
  try {
    const { status, stdout, stderr } = spawnSync(DEVP2P, ['rlpx', 'ping', enode], {
      encoding: 'utf8',
      timeout: PING_MS_MAX,
    })
    const isRight = status === 0 && stdout.includes('istanbul')
    console.log(`${runtime}: ${isRight ? 'ok' : 'FAILED'}\n${stdout}${stderr}`)
    if (!isRight) failed++
  } finally {
    child.kill('SIGKILL')
  }
}
process.exit(failed === 0 ? 0 : 1)
