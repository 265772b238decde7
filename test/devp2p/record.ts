/**
 * Writes what live validators of Besu or GoQuorum send to a fourth one as a fixture of `test/p2p/devp2p/transcripts`:
 * `GETH_QUORUM=… bun test/devp2p/record.ts goquorum 66`, `BESU=… bun test/devp2p/record.ts besu 69`.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { Wallet } from 'ethers'
import { fromHex } from '../../core/bytes/hex.ts'
import { encodeHeader } from '../../core/block/codec/header.ts'
import { blockHash } from '../../core/block/codec/blockHash.ts'
import { openChain } from '../../core/chain/opening/openChain.ts'
import { parseGenesisText } from '../../core/genesis/parse/parse.ts'
import { openChainStore } from '../../core/store/chainStore.ts'
import { BASE_IDS } from '../../p2p/devp2p/base/messages.ts'
import type { EthVersion } from '../../p2p/devp2p/base/capabilities.ts'
import { encodeHashes, encodeHeadersQuery } from '../../p2p/devp2p/eth/requests.ts'
import { forkIdAt } from '../../p2p/devp2p/eth/forkId.ts'
import { ETH } from '../../p2p/devp2p/ethCodes.ts'
import { openStorage } from '../../runtime/drivers/open.ts'
import { connectScripted, type ScriptedPeer } from '../p2p/devp2p/scriptedPeer.ts'
import type { Devp2pTranscript } from '../p2p/devp2p/transcripts/transcript.ts'
import { until } from '../support/until.ts'
import { CHAIN_ID, type OtherClient, SENDER_KEY } from './genesis.ts'
import {
  createLiveNetwork,
  type LiveNetwork,
  memberNamed,
  nodesOf,
  note,
  startIn,
  stopIn,
  VALIDATORS,
} from './liveNetwork.ts'
import { enodeOf } from './member.ts'
import { createRecorder } from './recorder.ts'
import { blockAt, call, headOf } from './rpc.ts'
import { untilAllReach } from './scenario.ts'

/** Blocks before one validator is ended; the recorder is to propose in several of them, and does not. */
const BLOCKS = 6
const PATIENCE = { timeoutMs: 180_000, pollMs: 100 }
/** Logs one topic, and leaves an empty contract. */
const LOGGING_CODE = '0x600160006000a100'

/** Transactions of every type that the client takes in turn; each second one creates a contract that logs. */
const signedTransaction = (client: OtherClient, nonce: number): Promise<string> => {
  const types = client === 'goquorum' ? [0, 1] : [0, 1, 2]
  const type = types[nonce % types.length] as number
  const common = { type, chainId: CHAIN_ID, nonce, gasLimit: 100_000, value: 0 }
  const price = type === 2 ? { maxFeePerGas: 0, maxPriorityFeePerGas: 0 } : { gasPrice: 0 }
  const access = type === 0 ? {} : { accessList: [{ address: `0x${'22'.repeat(20)}`, storageKeys: [] }] }
  const call = nonce % 2 === 0 ? { to: `0x${'11'.repeat(20)}` } : { data: LOGGING_CODE }
  return new Wallet(SENDER_KEY).signTransaction({ ...common, ...price, ...access, ...call })
}

const genesisOf = async (text: string) => {
  const genesis = parseGenesisText(text)
  const store = await openChainStore(await openStorage('memory', ''))
  const onError = (error: unknown): never => {
    throw error
  }
  const chain = await openChain({ genesis, store, onError })
  const { header } = chain.head()
  await store.close()
  return { header, hash: blockHash({ kind: 'ethash' }, header) }
}

/** Waits, while the recorder handles what it hears. */
const updating = (
  update: () => void,
  isDone: () => boolean | Promise<boolean>,
  what: string,
): Promise<unknown> =>
  until(
    () => {
      update()
      return isDone()
    },
    { ...PATIENCE, what },
  )

const record = async (network: LiveNetwork, eth: EthVersion): Promise<Devp2pTranscript> => {
  const { client } = network
  const own = memberNamed(network, `validator${VALIDATORS}`).key.privateKey
  for (let index = 1; index < VALIDATORS; index++) startIn(network, memberNamed(network, `validator${index}`))
  await untilAllReach(nodesOf(network), 0)
  const text = readFileSync(network.genesisPath, 'utf8')
  const { header, hash } = await genesisOf(text)
  const target = memberNamed(network, 'validator1')
  const { url } = nodesOf(network)[0] as { readonly url: string }
  const peer = await connectScripted(enodeOf(target), {
    privateKey: own,
    client: 'quorate/recorder',
    capabilities: [
      ['eth', eth],
      ['istanbul', 100],
    ],
  })
  const recorder = createRecorder({
    peer,
    eth,
    privateKey: own,
    dialect: client === 'goquorum' ? 'legacy' : 'blockAccessList',
    genesisHeader: encodeHeader(header),
  })
  const start = { number: 0n, timestamp: header.timestamp }
  peer.sendStatus({
    version: eth,
    networkId: BigInt(CHAIN_ID),
    genesisHash: hash,
    forkId: forkIdAt(hash, { blocks: [], times: [] }, start),
    head: eth === 69 ? { hash, range: { earliest: 0n, latest: 0n } } : { hash, totalDifficulty: 1n },
  })
  let nonce = 0
  const send = async (): Promise<string> =>
    (await call(url, 'eth_sendRawTransaction', [await signedTransaction(client, nonce++)])) as string
  for (let number = 1; number <= BLOCKS; number++) {
    await send()
    await updating(recorder.update, async () => (await headOf(url)) >= number, `block ${number}`)
  }
  await ask(peer, recorder.update, url)
  await stopIn(network, 'validator3', 'SIGKILL')
  note('validator3 was ended; the recorder helps to prepare')
  recorder.helpPreparing = true
  await updating(recorder.update, recorder.hasPrepared, 'a prepared proposal')
  const waiting = await send()
  peer.send(BASE_IDS + ETH.getPooledTransactions, encodeHashes(9n, [fromHex(waiting)]))
  await updating(recorder.update, () => recorder.frames.pooledTransactions !== undefined, 'the pool')
  peer.close()
  return { eth, genesis: text, frames: recorder.frames }
}

/** Asks for all blocks and their receipts. */
const ask = async (peer: ScriptedPeer, update: () => void, url: string): Promise<void> => {
  const query = { start: { number: 1n }, count: BLOCKS, skip: 0n, reverse: false }
  peer.send(BASE_IDS + ETH.getBlockHeaders, encodeHeadersQuery(7n, query))
  const hashes: Uint8Array[] = []
  for (let number = 1; number <= BLOCKS; number++)
    hashes.push(fromHex((await blockAt(url, number))?.hash as string))
  peer.send(BASE_IDS + ETH.getBlockBodies, encodeHashes(8n, hashes))
  peer.send(BASE_IDS + ETH.getReceipts, encodeHashes(9n, hashes))
  const answers = [ETH.blockHeaders, ETH.blockBodies, ETH.receipts]
  const isAnswered = (): boolean => answers.every(code => peer.heard.some(({ id }) => id === BASE_IDS + code))
  await updating(update, isAnswered, 'blocks and receipts')
}

const [client, version] = process.argv.slice(2)
if (client !== 'besu' && client !== 'goquorum') throw new Error('give besu or goquorum, and 66, 68 or 69')
const eth = Number(version) as EthVersion
const folder = mkdtempSync(join(tmpdir(), 'quorate-record-'))
const network = await createLiveNetwork(folder, client, VALIDATORS, 1)
try {
  const transcript = await record(network, eth)
  const path = join(import.meta.dirname, `../p2p/devp2p/transcripts/${client}-${eth}.json`)
  writeFileSync(path, `${JSON.stringify(transcript, undefined, 2)}\n`)
  note(
    Object.entries(transcript.frames)
      .map(([kind, kept]) => `${kind} ${kept.length}`)
      .join(', '),
  )
} finally {
  await Promise.all([...network.running.keys()].map(name => stopIn(network, name, 'SIGTERM')))
  rmSync(folder, { recursive: true })
}
