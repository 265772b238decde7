import { spawn, spawnSync } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { RUNTIME_COMMANDS, RUNTIMES, type RuntimeName } from '../support/programs/runtimeCommands.ts'

const DEVP2P = process.env['DEVP2P'] ?? 'devp2p'
const PEER = fileURLToPath(new URL('../p2p/devp2p/peerProcess.ts', import.meta.url))
/** `rlpx ping` waits for ever for a hello that does not come; the tests of discovery take some seconds. */
const CHECK_MS_MAX = 60_000

/** Commands, and what their output holds when all is right. */
const CHECKS = [
  [['rlpx', 'ping'], 'istanbul/100'],
  [['discv4', 'ping'], 'node responded to ping'],
  [['discv4', 'requestenr'], 'enr:'],
  [['discv4', 'test', '--remote'], '15/15 tests passed'],
] as const

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
    for (const [command, expected] of CHECKS) {
      const { status, stdout, stderr } = spawnSync(DEVP2P, [...command, enode], {
        encoding: 'utf8',
        timeout: CHECK_MS_MAX,
      })
      const isRight = status === 0 && stdout.includes(expected)
      console.log(`${runtime}, ${command.join(' ')}: ${isRight ? 'ok' : 'FAILED'}\n${stdout}${stderr}`)
      if (!isRight) failed++
    }
  } finally {
    child.kill('SIGKILL')
  }
}
process.exit(failed === 0 ? 0 : 1)
