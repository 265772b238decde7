import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../../core/bytes/hex.ts'
import type { RecoveredTransaction } from '../../../core/block/transaction.ts'
import { freePorts } from '../../../runtime/devnet/ports.ts'
import { testKey } from '../../runtime/genesis.ts'
import { ROOT } from '../../runtime/nodeProcess.ts'
import { startAnvil } from '../engines/anvil.ts'
import { anvilBlockArgs, anvilBlocks } from '../engines/anvilBlocks.ts'
import { ownBlocks } from '../engines/ownBlocks.ts'

/** Something that serves the chain. */
export type RpcServer = {
  readonly httpPort: number
  readonly webSocketPort: number
  stop(): Promise<void>
}

export type OwnServer = RpcServer & { readonly pid: number }

export type ServedChain = {
  /** Empty; the caller removes it. */
  readonly folder: string
  readonly genesis: object
  readonly blocks: readonly (readonly RecoveredTransaction[])[]
}

const START_MS_MAX = 30_000

const isAnswering = async (port: number): Promise<boolean> => {
  try {
    return (await fetch(`http://127.0.0.1:${port}/liveness`)).ok
  } catch {
    // Nobody listens yet.
    return false
  }
}

/** Our node over a chain on disk that it is no validator of: it answers, and the chain stands still. */
export const startOwnServer = async ({ folder, genesis, blocks }: ServedChain): Promise<OwnServer> => {
  const genesisFile = join(folder, 'genesis.json')
  const keyFile = join(folder, 'key')
  writeFileSync(genesisFile, JSON.stringify(genesis))
  writeFileSync(keyFile, toHex(testKey(1)), { mode: 0o600 })
  const own = await ownBlocks(folder, genesis)
  for (const block of blocks) await own.run(block)
  await own.close()
  const [httpPort, webSocketPort] = (await freePorts(2)) as [number, number]
  const child = Bun.spawn(
    [
      process.execPath,
      join(ROOT, 'runtime/main.ts'),
      `--genesis-file=${genesisFile}`,
      `--data-path=${folder}`,
      `--node-private-key-file=${keyFile}`,
      '--p2p-enabled=false',
      '--rpc-http-enabled',
      '--rpc-http-api=ETH,NET,WEB3,DEBUG',
      `--rpc-http-port=${httpPort}`,
      '--rpc-ws-enabled',
      `--rpc-ws-port=${webSocketPort}`,
    ],
    { cwd: ROOT, stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' },
  )
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await child.exited
  }
  const startMs = performance.now()
  while (!(await isAnswering(httpPort))) {
    if (child.exitCode !== null || performance.now() - startMs > START_MS_MAX) {
      await stop()
      throw new Error('our node does not listen')
    }
    await Bun.sleep(25)
  }
  return { httpPort, webSocketPort, pid: child.pid, stop }
}

/** anvil with the same blocks, in memory; it mines no more after them. */
export const startAnvilServer = async ({ folder, genesis, blocks }: ServedChain): Promise<RpcServer> => {
  const genesisFile = join(folder, 'genesis.json')
  writeFileSync(genesisFile, JSON.stringify(genesis))
  const anvil = await startAnvil(anvilBlockArgs(genesisFile))
  const mine = anvilBlocks(anvil)
  try {
    for (const block of blocks) await mine(block)
  } catch (error) {
    await anvil.stop()
    throw error
  }
  const port = Number(new URL(anvil.url).port)
  return { httpPort: port, webSocketPort: port, stop: () => anvil.stop() }
}
