import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LEASE_KEY, StorageInUse, StorageLost } from '../../../runtime/drivers/lease.ts'
import { openStorage } from '../../../runtime/drivers/open.ts'
import { sharedStoreOf } from '../../../runtime/drivers/shared.ts'
import { rejection } from '../../support/rejection.ts'
import { RUNTIME_COMMANDS } from '../../support/programs/runtimeCommands.ts'
import { HAS_POSTGRESQL, startPostgresql } from '../../support/servers/postgresql.ts'
import { HAS_REDIS, startRedis } from '../../support/servers/redis.ts'
import type { TestServer } from '../../support/servers/serverProcess.ts'
import { PROCESS_TEST_TIMEOUT_MS, ROOT, runCommand, startNode } from '../nodeProcess.ts'
import { clientsOf } from '../transactions.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const SERVERS: readonly (readonly [string, boolean, () => Promise<TestServer>])[] = [
  ['redis', HAS_REDIS, () => startRedis({ keeps: true })],
  ['postgresql', HAS_POSTGRESQL, startPostgresql],
]

/** A validator's data path twice, as a machine and its stand-in have it. */
const validatorFolders = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-lease-'))
  ends.push(async () => rmSync(folder, { recursive: true, force: true }))
  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  const made = await startNode(first)
  await made.stop()
  const genesis = join(folder, 'genesis.json')
  cpSync(join(first, 'genesis.json'), genesis)
  rmSync(join(first, 'genesis.json'))
  rmSync(join(first, 'chain'), { recursive: true, force: true })
  cpSync(first, second, { recursive: true })
  return { first, second, genesis }
}

describe.each(SERVERS)('the storage %s of two nodes', (name, isInstalled, start) => {
  const newServer = async (): Promise<string> => {
    const server = await start()
    ends.push(() => server.remove())
    return `${name}?url=${encodeURIComponent(server.url)}`
  }

  test.skipIf(!isInstalled)(
    'given a node that runs, then the second one is refused; once it was killed, the second one goes on with its chain',
    async () => {
      const storage = await newServer()
      const { first, second, genesis } = await validatorFolders()
      const args = [
        `--genesis-file=${genesis}`,
        '--p2p-enabled=false',
        '--rpc-http-enabled',
        '--min-gas-price=0',
        '--storage-unsafe',
      ]
      const holder = await startNode(first, [...args, `--storage=${storage}`])
      ends.push(() => holder.kill())
      const { wallet, reader } = clientsOf(holder.url)
      const hash = await wallet.sendTransaction({ to: `0x${'ee'.repeat(20)}`, value: 1n })
      const { blockNumber, blockHash } = await reader.waitForTransactionReceipt({ hash })

      const refused = await runCommand([
        `--data-path=${second}`,
        '--rpc-http-port=0',
        ...args,
        `--storage=${storage}`,
      ])
      expect(refused.code).toBe(1)
      expect(refused.error + refused.out).toContain(`is in use by another node (process ${holder.pid} on `)

      await holder.kill()
      const standIn = await startNode(second, [...args, `--storage=${storage}`])
      ends.push(() => standIn.kill())
      const block = await standIn.rpc<{ hash: string }>(
        'eth_getBlockByNumber',
        `0x${blockNumber.toString(16)}`,
        false,
      )
      expect(block.hash).toBe(blockHash)

      // Its machine stands still, and the first one takes over at once.
      process.kill(standIn.pid, 'SIGSTOP')
      const again = await startNode(first, [...args, `--storage=${storage}&takeover=true`])
      ends.push(() => again.kill())
      process.kill(standIn.pid, 'SIGCONT')
      expect(await standIn.exited).toBe(1)
      expect(standIn.output()).toContain(`another node (process ${again.pid} on `)
      const next = await clientsOf(again.url).wallet.sendTransaction({
        to: `0x${'ee'.repeat(20)}`,
        value: 1n,
      })
      expect((await clientsOf(again.url).reader.waitForTransactionReceipt({ hash: next })).status).toBe(
        'success',
      )
      expect(await again.stop()).toBe(0)
    },
  )

  test.skipIf(!isInstalled)(
    'given a node that waits for the lease of a dead one, when it gets a stop signal, then it ends and leaves the lease alone',
    async () => {
      const storage = await newServer()
      const kv = await sharedStoreOf(storage).open()
      ends.push(() => kv.close())
      const lease = new TextEncoder().encode(JSON.stringify({ host: 'another', process: 7, id: 'dead' }))
      await kv.set([{ key: LEASE_KEY, value: lease }])
      const folder = mkdtempSync(join(tmpdir(), 'quorate-lease-'))
      ends.push(async () => rmSync(folder, { recursive: true, force: true }))
      const child = Bun.spawn(
        [
          ...RUNTIME_COMMANDS.bun,
          join(ROOT, 'runtime/main.ts'),
          `--data-path=${folder}`,
          `--storage=${storage}`,
          '--rpc-http-port=0',
          '--logging-format=PLAIN',
        ],
        { cwd: ROOT, stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' },
      )
      let output = ''
      let isStopped = false
      for await (const chunk of child.stdout) {
        output += new TextDecoder().decode(chunk)
        if (isStopped || !output.includes('is held by process 7 on another: waiting')) continue
        child.kill('SIGTERM')
        isStopped = true
      }
      expect(await child.exited).toBe(0)
      expect(output).toContain('Stopped')
      expect(await kv.get(LEASE_KEY)).toEqual(lease)
    },
  )

  test.skipIf(!isInstalled)(
    'given a holder whose storage was taken, then nothing that it writes is stored',
    async () => {
      const storage = await newServer()
      const holder = await openStorage(storage, '')
      ends.push(() => holder.close())
      const key = 'mark:0'
      await holder.set([{ key, value: Uint8Array.of(1) }])
      expect(await rejection(openStorage(storage, ''))).toBeInstanceOf(StorageInUse)
      const next = await openStorage(`${storage}&takeover=true`, '')
      ends.push(() => next.close())
      for (const write of [
        holder.set([{ key, value: Uint8Array.of(2) }]),
        holder.setDurably({ key, value: Uint8Array.of(2) }),
      ])
        expect(await rejection(write)).toBeInstanceOf(StorageLost)
      expect(await holder.lost).toBeInstanceOf(StorageLost)
      expect(await next.get(key)).toEqual(Uint8Array.of(1))
      // Its end leaves the lease of the next one alone.
      await holder.close()
      await next.set([{ key, value: Uint8Array.of(3) }])
      expect(await next.get(key)).toEqual(Uint8Array.of(3))
    },
  )
})
