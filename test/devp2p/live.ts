import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { toHex } from '../../core/bytes/hex.ts'
import { freePorts } from '../../runtime/devnet/ports.ts'
import { mixedGenesisText } from './genesis.ts'
import {
  type Client,
  createMember,
  type Member,
  prepareMember,
  type RunningMember,
  startMember,
} from './member.ts'
import { headOf } from './rpc.ts'
import { compareChains, createSender, type Sender, untilAllReach, untilMined } from './scenario.ts'

const USAGE = `usage: [BESU=<executable>] [GETH_QUORUM=<executable>] bun test/devp2p/live.ts [options]
  --client=besu|goquorum   whose network is joined [the one whose executable is given]
  --theirs=N,N...          validators of that client in each run [3,2,1]; the others of four are this node's
  --blocks=N               blocks of each run [1000]
  --period=SECONDS         block period [1]
  --keep                   keep the folders with the logs`

type Options = {
  readonly client: Exclude<Client, 'quorate'>
  readonly theirs: readonly number[]
  readonly blocks: number
  readonly period: number
  readonly keep: boolean
}

const VALIDATORS = 4

const readOptions = (): Options => {
  const { values } = parseArgs({
    options: {
      client: { type: 'string' },
      theirs: { type: 'string', default: '3,2,1' },
      blocks: { type: 'string', default: '1000' },
      period: { type: 'string', default: '1' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const found = process.env['BESU'] === undefined ? 'goquorum' : 'besu'
  const client = values.client ?? found
  const isGiven = process.env[client === 'besu' ? 'BESU' : 'GETH_QUORUM'] !== undefined
  if (values.help || !isGiven || (client !== 'besu' && client !== 'goquorum')) {
    console.log(USAGE)
    process.exit(values.help ? 0 : 2)
  }
  return {
    client,
    theirs: values.theirs.split(',').map(Number),
    blocks: Number(values.blocks),
    period: Number(values.period),
    keep: values.keep,
  }
}

const note = (text: string): void => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`)

type Run = {
  readonly genesisPath: string
  readonly members: readonly Member[]
  readonly running: Map<string, RunningMember>
}

const prepare = async (folder: string, options: Options, theirs: number): Promise<Run> => {
  const ports = await freePorts(2 * (VALIDATORS + 1))
  const portsOf = (index: number) => [ports[2 * index] as number, ports[2 * index + 1] as number] as const
  const validators = Array.from({ length: VALIDATORS }, (_, index) =>
    createMember(
      folder,
      `validator${index + 1}`,
      index < theirs ? options.client : 'quorate',
      portsOf(index),
    ),
  )
  const rpc = createMember(folder, 'rpc', 'quorate', portsOf(VALIDATORS))
  const members = [...validators, rpc]
  const genesisPath = join(folder, 'genesis.json')
  writeFileSync(
    genesisPath,
    mixedGenesisText(
      validators.map(({ key }) => key.address).sort((a, b) => (toHex(a) < toHex(b) ? -1 : 1)),
      options.period,
    ),
  )
  for (const member of members)
    prepareMember(
      member,
      members.filter(other => other !== member),
      genesisPath,
    )
  return { genesisPath, members, running: new Map() }
}

const start = (run: Run, member: Member): void =>
  void run.running.set(member.name, startMember(member, run.genesisPath))

const nodes = ({ running }: Run): readonly RunningMember[] => [...running.values()]

/** Lets the chain grow to a block while transfers arrive. */
const growTo = async (run: Run, sender: Sender, number: number): Promise<void> => {
  for (;;) {
    const head = Math.max(...(await Promise.all(nodes(run).map(({ url }) => headOf(url)))))
    if (head >= number) break
    await sender.send(nodes(run))
    await untilAllReach(nodes(run), Math.min(head + 1, number))
  }
  await untilAllReach(nodes(run), number)
}

/** Ends one node, the others continue without it, and starts it again. */
const restart = async (run: Run, sender: Sender, name: string, signal: 'SIGTERM' | 'SIGKILL', to: number) => {
  const member = run.members.find(each => each.name === name) as Member
  await run.running.get(name)?.stop(signal)
  run.running.delete(name)
  note(`${name} (${member.client}) ended by ${signal}`)
  await growTo(run, sender, to)
  start(run, member)
  await untilAllReach(nodes(run), to + 1)
  note(`${name} (${member.client}) has caught up with block ${to + 1}`)
}

/** One network: some validators of the other client, the others and an RPC node of this one. */
const runNetwork = async (folder: string, options: Options, theirs: number): Promise<void> => {
  const run = await prepare(folder, options, theirs)
  const sender = createSender()
  try {
    for (const member of run.members) start(run, member)
    const third = Math.floor(options.blocks / 3)
    await untilAllReach(nodes(run), 1)
    note('all nodes have block 1')
    await growTo(run, sender, third)
    note(`all nodes have block ${third}`)
    // The first is of the other client, the last of this one.
    await restart(run, sender, 'validator1', 'SIGKILL', third + 5)
    await restart(run, sender, `validator${VALIDATORS}`, 'SIGKILL', 2 * third)
    await restart(run, sender, 'rpc', 'SIGTERM', 2 * third + 5)
    await growTo(run, sender, options.blocks)
    for (const node of nodes(run)) await untilMined(node, sender)
    const report = await compareChains(nodes(run), options.blocks)
    note(`no fork: ${JSON.stringify(report)}; ${sender.hashes.length} transactions sent, none lost`)
  } finally {
    await Promise.all(nodes(run).map(node => node.stop('SIGTERM')))
  }
}

const options = readOptions()
for (const theirs of options.theirs) {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-live-'))
  note(`${theirs} validators of ${options.client}, ${VALIDATORS - theirs} of this node; logs in ${folder}`)
  try {
    await runNetwork(folder, options, theirs)
  } finally {
    if (!options.keep) rmSync(folder, { recursive: true })
  }
}
