import { describe, expect } from 'bun:test'
import { Contract, type ContractEventPayload, type InterfaceAbi, WebSocketProvider } from 'ethers'
import { createPublicClient, type Hex, parseAbi, webSocket } from 'viem'
import { compile } from '../support/programs/solc.ts'
import { withFolder } from './folder.ts'
import { type NodeProcess, startNode } from './nodeProcess.ts'
import { clientsOf } from './transactions.ts'
import { independent as test } from '../support/scenario.ts'
import { until } from '../support/until.ts'

const TO = '0x00000000000000000000000000000000000000ee'

const ABI = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])

const deploy = async (node: NodeProcess): Promise<Hex> => {
  const { wallet, reader } = clientsOf(node.url)
  const { abi, bytecode } = compile('Token')
  const hash = await wallet.deployContract({ abi, bytecode, args: [1000n] })
  return (await reader.waitForTransactionReceipt({ hash })).contractAddress as Hex
}

const transfer = async (node: NodeProcess, token: Hex, value: bigint): Promise<void> => {
  const { wallet, reader } = clientsOf(node.url)
  const hash = await wallet.writeContract({
    address: token,
    abi: compile('Token').abi,
    functionName: 'transfer',
    args: [TO, value],
  })
  await reader.waitForTransactionReceipt({ hash })
}

/** Runs with a node, and with the way to kill it and start it again on the same ports. */
const withRestart = (
  run: (node: NodeProcess, wsUrl: string, restart: () => Promise<NodeProcess>) => Promise<void>,
): Promise<void> =>
  withFolder(async folder => {
    let node = await startNode(folder, ['--rpc-ws-enabled', '--rpc-ws-port=0'])
    const wsUrl = node.wsUrl as string
    try {
      await run(node, wsUrl, async () => {
        await node.kill()
        node = await startNode(folder, ['--rpc-ws-enabled', `--rpc-ws-port=${new URL(wsUrl).port}`])
        return node
      })
    } finally {
      await node.stop()
    }
  })

describe('given a node that is killed and started again', () => {
  test('when viem watches blocks, logs, contract events and pending transactions, then it goes on', () =>
    withRestart(async (node, wsUrl, restart) => {
      const client = createPublicClient({
        transport: webSocket(wsUrl),
      })
      const token = await deploy(node)
      const [blocks, values, logs, pending]: [bigint[], bigint[], Hex[], Hex[]] = [[], [], [], []]
      const errors: unknown[] = []
      const onError = (error: unknown): void => void errors.push(error)
      const unwatch = [
        client.watchBlocks({ onBlock: ({ number }) => void blocks.push(number), onError }),
        client.watchContractEvent({
          address: token,
          abi: ABI,
          eventName: 'Transfer',
          onLogs: found => void values.push(...found.map(({ args }) => args.value as bigint)),
          onError,
        }),
        client.watchEvent({
          address: token,
          onLogs: found => void logs.push(...found.map(({ transactionHash }) => transactionHash)),
          onError,
        }),
        client.watchPendingTransactions({ onTransactions: found => void pending.push(...found), onError }),
      ]
      // Answered behind the subscriptions.
      await until(async () => (await client.getBlockNumber({ cacheTime: 0 })) >= 1n)
      await Bun.sleep(100)
      await transfer(node, token, 1n)
      await until(() => blocks.length > 0 && values.length > 0 && logs.length > 0 && pending.length > 0)
      const again = await restart()
      // The first answer says that it is connected again, a moment later its subscriptions stand too.
      await until(() => client.getBlockNumber({ cacheTime: 0 }).catch(() => undefined))
      await Bun.sleep(500)
      await transfer(again, token, 2n)
      await transfer(again, token, 3n)
      await until(() => values.length >= 3 && blocks.length >= 3 && logs.length >= 3 && pending.length >= 3)
      expect([values, blocks]).toEqual([
        [1n, 2n, 3n],
        [2n, 3n, 4n],
      ])
      for (const stop of unwatch) stop()
      ;(await client.transport.getRpcClient()).close()
    }))

  test('when ethers watches blocks and contract events, then a new provider goes on with them', () =>
    withRestart(async (node, wsUrl, restart) => {
      const token = await deploy(node)
      const blocks: number[] = []
      const values: bigint[] = []
      let provider: WebSocketProvider | undefined
      let isOver = false

      const watch = async (): Promise<void> => {
        const opened = new WebSocketProvider(wsUrl)
        const socket = opened.websocket as WebSocket
        socket.addEventListener('error', () => undefined)
        // As its manual says: whoever wants to go on makes a new provider.
        socket.addEventListener('close', () => {
          if (!isOver) setTimeout(() => void watch(), 100)
        })
        await opened.on('block', (number: number) => void blocks.push(number))
        const contract = new Contract(token, compile('Token').abi as InterfaceAbi, opened)
        await contract.on('Transfer', (...args: readonly [string, string, bigint, ContractEventPayload]) => {
          values.push(args[2])
        })
        await opened.getBlockNumber()
        provider = opened
      }

      await watch()
      await transfer(node, token, 1n)
      await until(() => values.length === 1 && blocks.includes(2))
      const before = provider
      const again = await restart()
      await until(() => provider !== before)
      await transfer(again, token, 2n)
      await until(() => values.length === 2 && blocks.includes(3))
      expect(values).toEqual([1n, 2n])
      isOver = true
      await provider?.destroy()
    }))
})
