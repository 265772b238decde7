import { join, resolve } from 'node:path'
import { DEVELOPMENT_MNEMONIC } from '../../../core/genesis/development/accounts.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import type { CommandContext } from '../../cli/command.ts'
import type { NetworkCommandOptions } from './networkCommand.ts'
import { CommandError } from '../../cli/errors.ts'
import { watchBlocks } from '../../devnet/blockWatch.ts'
import { watchHealth } from '../../devnet/healthWatch.ts'
import { type Member, prepareNetworkFolder, writeStaticNodes } from '../../devnet/folder.ts'
import { type MemberProcess, START_SCRIPT, startMember } from '../../devnet/memberProcess.ts'
import { freePorts, takenPorts } from '../../devnet/ports.ts'
import { watchStalls } from '../../devnet/stallWatch.ts'
import { stopSignal } from '../../node/process/signals.ts'

type Context = CommandContext<NetworkCommandOptions>

/** `count` ports starting at `first`, or free ones if it is 0. */
const portsFrom = async (first: number, count: number): Promise<readonly number[]> =>
  first === 0 ? freePorts(count) : Array.from({ length: count }, (_, index) => first + index)

/** A node that listens on one of the ports would be mistaken for one of the network. @throws CommandError */
const requireFree = async (ports: readonly number[]): Promise<void> => {
  const taken = await takenPorts(ports)
  if (taken.length === 0) return
  throw new CommandError(
    'PORT_IN_USE',
    `Port(s) '[${taken.join(', ')}]' already in use. Check for other processes using the port(s), or give others with --rpc-http-port and --p2p-port (0 for free ones).`,
  )
}

const endpoints = (processes: readonly MemberProcess[], ports: ReadonlyMap<Member, number>): string =>
  processes
    .map(({ member, url, pid }) => {
      const p2p = `127.0.0.1:${ports.get(member)}`
      return `  ${member.name.padEnd(12)} ${toHex(member.key.address)}  JSON-RPC ${url}  p2p ${p2p}  pid ${pid}`
    })
    .join('\n')

/** How to stop and start single nodes. */
const hints = (path: string): string =>
  [
    `Each node logs to log.txt in its folder, such as ${join(path, 'validator1', 'log.txt')}.`,
    'Stop a node with `kill <pid>`; suspend it with `kill -STOP <pid>` and resume it with `kill -CONT <pid>`.',
    `Start a stopped node again in another terminal: ${join(path, 'validator1', START_SCRIPT)}`,
    'When blocks stop, the reason is printed here. Ctrl-C stops all nodes.',
  ].join('\n')

/** Runs a network of several nodes on this machine until a signal stops it. */
export const runNetwork = async ({ options, terminal }: Context): Promise<number> => {
  const stop = stopSignal()
  const path = resolve(options.dataPath)
  // The RPC node besides the validators.
  const count = options.validators + 1
  const rpcPorts = await portsFrom(options.rpcHttpPort, count)
  const p2pPorts = await portsFrom(options.p2pPort, count)
  await requireFree([...rpcPorts, ...p2pPorts])
  const folder = prepareNetworkFolder({
    path,
    validators: options.validators,
    blockPeriodSeconds: options.blockPeriod,
    blockPeriodMs: options.blockPeriodMs,
  })
  // The RPC node first: it gets the default port.
  const members = [folder.rpc, ...folder.validators]
  const p2pPortOf = new Map(members.map((member, index) => [member, p2pPorts[index] as number]))
  writeStaticNodes(members, member => p2pPortOf.get(member) as number)

  const { genesisPath } = folder
  const processes = members.map((member, index) =>
    startMember({
      member,
      genesisPath,
      p2pPort: p2pPorts[index] as number,
      rpcPort: rpcPorts[index] as number,
      explorer: member === folder.rpc,
      corsOrigins: member === folder.rpc ? options.rpcHttpCorsOrigins : [],
      metrics: options.metricsEnabled,
    }),
  )
  let stopWatching = (): void => undefined
  try {
    await Promise.race([Promise.all(processes.map(each => each.answers())), stop.wait])
    if (!stop.received) {
      terminal.out(`Network of ${folder.validators.length} validators in ${path}\n`)
      terminal.out(endpoints(processes, p2pPortOf))
      terminal.out(`\nExplorer: ${(processes[0] as MemberProcess).url}/explorer`)
      terminal.out(
        `Web pages that may call it (--rpc-http-cors-origins): ${options.rpcHttpCorsOrigins.join(', ') || 'its own'}`,
      )
      terminal.out(`Funded accounts: those of the mnemonic "${DEVELOPMENT_MNEMONIC}"`)
      terminal.out(`${hints(path)}\n`)
      const print = (line: string): void => terminal.out(line)
      const stops = [
        watchBlocks({ url: (processes[0] as MemberProcess).url, members: folder.validators, print }),
        watchStalls(
          processes.slice(1).map(({ url }) => url),
          print,
        ),
        watchHealth(
          processes.map(({ member: { name }, url }) => ({ name, url })),
          print,
        ),
      ]
      stopWatching = () => {
        for (const end of stops) end()
      }
      for (const { member, ended } of processes)
        void ended.then(outcome => {
          if (!stop.received) terminal.out(`${member.name} ended (${outcome})`)
        })
      await Promise.race([stop.wait, Promise.all(processes.map(({ ended }) => ended))])
    }
  } finally {
    stopWatching()
    if (stop.received) terminal.out('\nStopping the nodes; each finishes its block first')
    await Promise.all(processes.map(each => each.stop()))
  }
  terminal.out('Stopped')
  return 0
}
