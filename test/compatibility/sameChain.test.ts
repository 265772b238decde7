import { expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { toHex } from '../../core/bytes/hex.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../core/genesis/development/accounts.ts'
import { withFolder } from '../runtime/folder.ts'
import { type NodeProcess, PROCESS_TEST_TIMEOUT_MS, startNode } from '../runtime/nodeProcess.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const TRANSFERS = 180
const HEAVY = 10
/** Counts from 65,535 down to 0: 1.7 million gas. */
const LOOP = '61ffff5b600190038060035700'
const DEPLOY = `0x60${(LOOP.length / 2).toString(16).padStart(2, '0')}80600b6000396000f3${LOOP}`

const accountAt = (index: number) =>
  privateKeyToAccount(toHex(DEVELOPMENT_ACCOUNTS[index]?.privateKey as Uint8Array) as `0x${string}`)

const SENDER = accountAt(0)
const RECIPIENT = accountAt(1).address

/** Transfers, then calls that take 17 million gas, which both fit into one block. */
const send = async (node: NodeProcess): Promise<void> => {
  const sign = (nonce: number, fields: object) =>
    SENDER.signTransaction({
      type: 'legacy',
      chainId: 1337,
      gasPrice: 3_000_000_000n,
      nonce,
      ...fields,
    } as never)
  await node.rpc('eth_sendRawTransaction', await sign(0, { data: DEPLOY, gas: 200_000n }))
  await node.rpc('evm_mine')
  const [receipt] = await node.rpc<{ contractAddress: `0x${string}` }[]>('eth_getBlockReceipts', 'latest')
  for (let nonce = 1; nonce <= TRANSFERS; nonce++)
    await node.rpc('eth_sendRawTransaction', await sign(nonce, { to: RECIPIENT, value: 1n, gas: 21_000n }))
  for (let nonce = TRANSFERS + 1; nonce <= TRANSFERS + HEAVY; nonce++)
    await node.rpc(
      'eth_sendRawTransaction',
      await sign(nonce, { to: receipt?.contractAddress, gas: 2_000_000n }),
    )
}

type Blocks = readonly { readonly hash: string; readonly transactions: number }[]

/** Starts a chain with a given key and given times, sends, and makes two blocks. */
const chainIn = async (folder: string, beside: (node: NodeProcess) => () => void): Promise<Blocks> => {
  const key = join(folder, 'key.hex')
  writeFileSync(key, `0x${'11'.repeat(32)}`, { mode: 0o600 })
  const node = await startNode(folder, [`--node-private-key-file=${key}`])
  const end = beside(node)
  try {
    await node.rpc('evm_setAutomine', false)
    await node.rpc('anvil_setBlockTimestampInterval', 1)
    await send(node)
    await node.rpc('evm_mine')
    await node.rpc('evm_mine')
    const head = Number(await node.rpc<string>('eth_blockNumber'))
    return await Promise.all(
      Array.from({ length: head }, async (_, index) => {
        const { hash, transactions } = await node.rpc<{ hash: string; transactions: string[] }>(
          'eth_getBlockByNumber',
          `0x${(index + 1).toString(16)}`,
          false,
        )
        return { hash, transactions: transactions.length }
      }),
    )
  } finally {
    end()
    await node.kill()
  }
}

/** Processes that use every core. */
const busy = (): (() => void) => {
  const spinning = Array.from({ length: 6 }, () => Bun.spawn(['sh', '-c', 'while :; do :; done']))
  return () => {
    for (const child of spinning) child.kill('SIGKILL')
  }
}

/** The node stands still for most of the time. */
const slowed = ({ pid }: NodeProcess): (() => void) => {
  let isStopped = false
  const timer = setInterval(() => {
    isStopped = !isStopped
    process.kill(pid, isStopped ? 'SIGSTOP' : 'SIGCONT')
  }, 15)
  return () => {
    clearInterval(timer)
    process.kill(pid, 'SIGCONT')
  }
}

test('given one sequence of requests, when it runs on an idle, on a busy and on a slowed machine, then the blocks are the same', async () => {
  const chains: Blocks[] = []
  for (const beside of [() => () => undefined, busy, slowed])
    chains.push(await withFolder(folder => chainIn(folder, beside)))
  const [idle, underLoad, slow] = chains
  expect(idle?.map(({ transactions }) => transactions)).toEqual([1, TRANSFERS + HEAVY, 0])
  expect(underLoad).toEqual(idle as Blocks)
  expect(slow).toEqual(idle as Blocks)
})
