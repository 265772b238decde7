import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createLiveNetwork,
  growBy,
  growTo,
  highestHead,
  type LiveNetwork,
  nodesOf,
  note,
  replaceClient,
  restart,
  startIn,
  stopIn,
  VALIDATORS,
} from './liveNetwork.ts'
import { type Options, readOptions } from './options.ts'
import { compareChains, untilAllReach, untilMined } from './scenario.ts'
import { voteInAndOut } from './votes.ts'

/** Blocks that are made while a validator is down: each of the others has its turn, and the turn of the one that is down. */
const BLOCKS_WITHOUT = 5

/** Starts a network, runs a scenario in it, and checks that there is one chain with every transaction. */
const inNetwork = async (
  options: Options,
  theirs: number,
  run: (network: LiveNetwork) => Promise<void>,
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-live-'))
  note(`${theirs} validators of ${options.client}, ${VALIDATORS - theirs} of this node; logs in ${folder}`)
  const network = await createLiveNetwork(folder, options.client, theirs, options.period)
  try {
    for (const member of network.members) startIn(network, member)
    await untilAllReach(nodesOf(network), 1)
    note('all nodes have block 1')
    await run(network)
    for (const node of nodesOf(network)) await untilMined(node, network.sender)
    const head = await highestHead(network)
    await untilAllReach(nodesOf(network), head)
    const report = await compareChains(nodesOf(network), head)
    note(`no fork: ${JSON.stringify(report)}; ${network.sender.hashes.length} transactions sent, none lost`)
  } finally {
    await Promise.all([...network.running.keys()].map(name => stopIn(network, name, 'SIGTERM')))
    if (!options.keep) rmSync(folder, { recursive: true })
  }
}

/** The first validator is of the other client, the last of this one: both are ended in both ways. */
const restartsAndVotes = async (network: LiveNetwork, blocks: number): Promise<void> => {
  const third = Math.floor(blocks / 3)
  await growTo(network, third)
  const { period } = await compareChains(nodesOf(network), third)
  note(`all nodes have block ${third}; seconds between blocks ${JSON.stringify(period)}`)
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    await restart(network, 'validator1', signal, BLOCKS_WITHOUT)
    await restart(network, `validator${VALIDATORS}`, signal, BLOCKS_WITHOUT)
    await restart(network, 'rpc', signal, BLOCKS_WITHOUT)
  }
  await voteInAndOut(network)
  await growTo(network, blocks)
}

/** All validators change their client one by one, and back. */
const replaceAll = async (network: LiveNetwork, blocks: number): Promise<void> => {
  const names = Array.from({ length: VALIDATORS }, (_, index) => `validator${index + 1}`)
  const between = Math.max(BLOCKS_WITHOUT, Math.floor(blocks / (2 * VALIDATORS)))
  for (const client of ['quorate', network.client] as const)
    for (const name of names) {
      await replaceClient(network, name, client)
      await growBy(network, between)
    }
}

const options = readOptions()
for (const theirs of options.theirs)
  await inNetwork(options, theirs, network => restartsAndVotes(network, options.blocks))
if (options.replace) await inNetwork(options, VALIDATORS, network => replaceAll(network, options.blocks))
