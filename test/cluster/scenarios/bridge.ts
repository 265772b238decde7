import { expect } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromHex } from '../../../core/bytes/hex.ts'
import { publicKeyOf } from '../../../core/crypto/crypto.ts'
import { ETH } from '../../../p2p/devp2p/ethCodes.ts'
import { forkIdAt } from '../../../p2p/devp2p/eth/forkId.ts'
import { formatEnode } from '../../../p2p/transport/enode.ts'
import type { Transport } from '../../../p2p/startTransport.ts'
import { encodedTransfer } from '../../attack/transfers.ts'
import { connectScripted } from '../../p2p/devp2p/scriptedPeer.ts'
import { testKey } from '../../runtime/genesis.ts'
import { freePortPairs } from '../support/portPairs.ts'
import { scenario } from '../../support/scenario.ts'
import { type Cluster, createCluster } from '../support/cluster.ts'
import { hashesOf, until, untilBlocks } from '../support/waiting.ts'

/** Nodes 1 and 4 have no transport in common. */
const ALL = [1, 2, 3, 4]
const CHAIN_ID = 4242n
/** The account of the transaction that waits in the pools. */
const WAITING_ACCOUNT = 8

scenario(
  'given validators of which the first connects over libp2p, the last over devp2p, and two between them over both',
  ({ beforeAll, afterAll, test }) => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-cluster-'))
    const transports = new Map<number, Transport>([
      [1, 'libp2p'],
      [2, 'both'],
      [3, 'both'],
      [4, 'devp2p'],
    ])
    let ports: readonly number[]
    let cluster: Cluster
    let sent = 0
    const hashes: string[] = []

    /** Where a node is dialed over a transport: libp2p has the port after that of devp2p. */
    const enodeOf = (index: number, over: 'libp2p' | 'devp2p'): string =>
      formatEnode({
        publicKey: publicKeyOf(testKey(index)),
        host: '127.0.0.1',
        port: (ports[index - 1] as number) + (over === 'libp2p' ? 1 : 0),
      })

    const start = async (index: number, transport: Transport): Promise<void> => {
      transports.set(index, transport)
      const over = transport === 'libp2p' ? 'libp2p' : 'devp2p'
      const others = ALL.filter(other => other !== index).map(other => enodeOf(other, over))
      writeFileSync(join(cluster.dataPath(index), 'static-nodes.json'), JSON.stringify(others))
      await cluster.start(index)
    }

    const send = async (index: number): Promise<string> => {
      const hash = await cluster.node(index).rpc<string>('eth_sendRawTransaction', encodedTransfer(sent++))
      hashes.push(hash)
      return hash
    }

    const untilMined = (hash: string, index: number): Promise<boolean> =>
      until(`the receipt of ${hash} on node ${index}`, async () => {
        const receipt = await cluster.node(index).rpc<object | null>('eth_getTransactionReceipt', hash)
        return receipt !== null
      })

    beforeAll(async () => {
      ports = await freePortPairs(ALL.length)
      cluster = await createCluster({
        folder,
        validators: ALL.length,
        nodes: ALL.length,
        qbft: { requesttimeoutseconds: 2 },
        portOf: index => (ports[index - 1] as number) + (transports.get(index) === 'libp2p' ? 1 : 0),
        argsOf: index => [`--p2p-protocol=${transports.get(index)}`],
      })
      await Promise.all(ALL.map(index => start(index, transports.get(index) as Transport)))
      await untilBlocks(cluster, 1)
    })

    afterAll(async () => {
      await cluster.end()
      rmSync(folder, { recursive: true, force: true })
    })

    test('when one node of both is all that is between the two ends, then they agree on blocks through it', async () => {
      await cluster.kill(3)
      const number = await untilBlocks(cluster, 3)
      expect(await hashesOf(cluster, number)).toHaveLength(1)
      const [first, last] = await Promise.all(
        [1, 4].map(index => cluster.node(index).rpc<readonly object[]>('admin_peers')),
      )
      expect([first?.length, last?.length]).toEqual([1, 1])
    })

    test('when transactions are sent at either end, then the other end has them in a block', async () => {
      await untilMined(await send(1), 4)
      await untilMined(await send(4), 1)
    })

    test('when a peer over devp2p sends one transaction many times and breaks the rules, then it is disconnected, and blocks go on', async () => {
      const genesis = await cluster.block(2, 0)
      const genesisHash = fromHex(genesis?.hash ?? '')
      const peer = await connectScripted(enodeOf(2, 'devp2p'))
      peer.sendStatus({
        networkId: CHAIN_ID,
        genesisHash,
        forkId: forkIdAt(genesisHash, { blocks: [], times: [] }, { number: 0n, timestamp: 0n }),
        head: { hash: genesisHash, totalDifficulty: 1n },
      })
      await peer.next(ETH.status)
      // It waits for an earlier nonce: the pools on both sides of the bridge keep it.
      const waiting = fromHex(encodedTransfer(1, WAITING_ACCOUNT))
      for (let times = 0; times < 200; times++) peer.sendEth(ETH.transactions, [waiting])
      await until('the transaction on all nodes', async () => {
        const pools = await Promise.all(
          cluster
            .running()
            .map(index => cluster.node(index).rpc<readonly object[]>('txpool_besuTransactions')),
        )
        return pools.every(pool => pool.length === 1)
      })
      peer.sendEth(ETH.newBlockHashes, [new Uint8Array(100_000)])
      await until('the end of its connection', async () => peer.isClosed())
      await untilBlocks(cluster, 2)
    })

    test('when the nodes change over to libp2p one after another, then blocks go on, and no transaction is lost', async () => {
      await start(3, 'both')
      const moves: readonly (readonly [number, Transport])[] = [
        [4, 'both'],
        [4, 'libp2p'],
        [2, 'libp2p'],
        [3, 'libp2p'],
      ]
      for (const [index, transport] of moves) {
        await untilBlocks(cluster, 1)
        expect(await cluster.stop(index)).toEqual([0])
        for (const other of cluster.running()) await send(other)
        await start(index, transport)
        await send(index)
      }
      for (const index of ALL) await untilMined(hashes.at(-1) as string, index)
      for (const hash of hashes) await untilMined(hash, 1)
      expect(await hashesOf(cluster, await untilBlocks(cluster, 1))).toHaveLength(1)
      expect(await cluster.stop(...ALL)).toEqual([0, 0, 0, 0])
    })
  },
)
