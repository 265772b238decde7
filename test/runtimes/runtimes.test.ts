import { expect } from 'bun:test'
import { join } from 'node:path'
import { compile } from '../support/programs/solc.ts'
import { withFolder } from '../runtime/folder.ts'
import {
  isInstalled,
  type NodeProcess,
  runCommand,
  type RuntimeName,
  startNode,
} from '../runtime/nodeProcess.ts'
import { clientsOf } from '../runtime/transactions.ts'
import { type Scenario, scenario } from '../support/scenario.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno']

const TO = '0x00000000000000000000000000000000000000ee'

/** Everything about one mined contract call that a client can read. */
const readAll = async (node: NodeProcess, hash: string, token: string): Promise<unknown> => {
  const receipt = await node.rpc<{ blockNumber: string }>('eth_getTransactionReceipt', hash)
  const { reader } = clientsOf(node.url)
  return {
    receipt,
    block: await node.rpc('eth_getBlockByNumber', receipt.blockNumber, true),
    transaction: await node.rpc('eth_getTransactionByHash', hash),
    balance: await node.rpc('eth_getBalance', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', 'latest'),
    slot: await node.rpc('eth_getStorageAt', token, '0x0', 'latest'),
    code: await node.rpc('eth_getCode', token, 'latest'),
    held: String(
      await reader.readContract({
        address: token as `0x${string}`,
        abi: compile('Token').abi,
        functionName: 'balanceOf',
        args: [TO],
      }),
    ),
  }
}

const defineOn = (runtime: RuntimeName, { test }: Scenario): void => {
  test('given a mined contract call, when the node is killed and started again, then everything reads the same', () =>
    withFolder(async folder => {
      const node = await startNode(folder, [], { runtime })
      expect(await node.rpc<string>('web3_clientVersion')).toContain(`/${runtime}-`)
      const { wallet, reader } = clientsOf(node.url)
      const { abi, bytecode } = compile('Token')
      const deployed = await wallet.deployContract({ abi, bytecode, args: [1000n] })
      const { contractAddress } = await reader.waitForTransactionReceipt({ hash: deployed })
      const token = contractAddress as `0x${string}`
      const hash = await wallet.writeContract({
        address: token,
        abi,
        functionName: 'transfer',
        args: [TO, 7n],
      })
      await reader.waitForTransactionReceipt({ hash })
      const before = await readAll(node, hash, token)
      await node.kill()

      const again = await startNode(folder, [], { runtime })
      expect(await readAll(again, hash, token)).toEqual(before)
      expect(await again.stop()).toBe(0)
    }))

  test('given a pipe, when a development chain starts and stops, then each line that it writes is a JSON object', () =>
    withFolder(async folder => {
      const node = await startNode(folder, [], { runtime })
      expect(await node.stop()).toBe(0)
      const records = node
        .output()
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line) as { readonly message: string; readonly accounts?: readonly object[] })
      expect(records.filter(({ accounts }) => accounts?.length === 10)).toHaveLength(1)
      expect(records.map(({ message }) => message)).toContain(`Listening on ${new URL(node.url).host}`)
    }))

  test('given a wrong command line, when it starts, then it ends with code 2; a second node on a data path with code 1', () =>
    withFolder(async folder => {
      const wrong = await runCommand(['--rpc-http-prot=1'], { runtime })
      expect([wrong.code, wrong.error.split('\n')[0]]).toEqual([
        2,
        "Unknown option: '--rpc-http-prot'. Did you mean --rpc-http-port?",
      ])
      const node = await startNode(folder, [], { runtime })
      const second = await runCommand([`--data-path=${folder}`, '--rpc-http-port=0'], { runtime })
      const taken = await runCommand(
        [`--data-path=${join(folder, 'x')}`, `--rpc-http-port=${new URL(node.url).port}`],
        { runtime },
      )
      await node.stop()
      expect(second.code).toBe(1)
      expect(second.error).toContain('is in use by another node')
      expect([taken.code, taken.error]).toEqual([
        1,
        `Port(s) '[${new URL(node.url).port}]' already in use. Check for other processes using the port(s), or give another port with --rpc-http-port.\n`,
      ])
    }))
}

for (const runtime of RUNTIMES)
  scenario(`on ${runtime}`, own => defineOn(runtime, own), { skip: !isInstalled(runtime) })

scenario(
  'a chain made on one runtime',
  ({ test }) => {
    test('given a chain of one runtime, when another starts on it, then it continues', () =>
      withFolder(async folder => {
        let number = 0n
        for (const runtime of RUNTIMES) {
          const node = await startNode(folder, [], { runtime })
          const { wallet, reader } = clientsOf(node.url)
          const hash = await wallet.sendTransaction({ to: TO, value: 1n })
          const receipt = await reader.waitForTransactionReceipt({ hash })
          expect(receipt.blockNumber).toBe(++number)
          expect(await reader.getBalance({ address: TO })).toBe(number)
          await node.stop()
        }
      }))
  },
  { skip: !RUNTIMES.every(isInstalled) },
)
