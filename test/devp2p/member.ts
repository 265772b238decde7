import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { toBareHex, toHex } from '../../core/bytes/hex.ts'
import { formatEnode } from '../../p2p/transport/enode.ts'
import { createNodeKey, type NodeKey } from '../../runtime/keys/nodeKey.ts'
import { CHAIN_ID, type OtherClient } from './genesis.ts'

/** The software of a node. The executables of the other two are given by BESU and GETH_QUORUM. */
export type Client = 'quorate' | OtherClient

export type Member = {
  readonly name: string
  readonly client: Client
  readonly key: NodeKey
  readonly p2pPort: number
  readonly rpcPort: number
  /** What the client keeps; one folder for each, so that a member can change its client. */
  readonly dataPath: string
}

export type RunningMember = {
  readonly member: Member
  readonly url: string
  readonly pid: number
  /** Asks it to stop, or kills it, and resolves when it has ended. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/** A node that does not stop by then is killed. */
const STOP_MS_MAX = 30_000

const MAIN = fileURLToPath(new URL('../../runtime/main.ts', import.meta.url))

export const enodeOf = ({ key, p2pPort }: Member): string =>
  formatEnode({ publicKey: key.publicKey, host: '127.0.0.1', port: p2pPort })

export const createMember = (
  folder: string,
  name: string,
  client: Client,
  [p2pPort, rpcPort]: readonly [number, number],
  key: NodeKey = createNodeKey(),
): Member => ({ name, client, key, p2pPort, rpcPort, dataPath: join(folder, `${name}-${client}`) })

const executable = (name: 'BESU' | 'GETH_QUORUM'): string => {
  const path = process.env[name]
  if (path === undefined) throw new Error(`${name} must name the executable`)
  return path
}

/** What a log is to hold: all that helps to find a fault, or what an operator keeps. */
export type LogLevel = 'DEBUG' | 'INFO'

type Command = { readonly file: string; readonly arguments: readonly string[]; readonly environment?: object }

type Setting = { readonly genesisPath: string; readonly network: OtherClient; readonly level: LogLevel }

const quorate = (member: Member, { genesisPath, network, level }: Setting): Command => ({
  file: process.execPath,
  arguments: [
    MAIN,
    `--genesis-file=${genesisPath}`,
    `--data-path=${member.dataPath}`,
    '--p2p-protocol=devp2p',
    '--p2p-interface=127.0.0.1',
    `--p2p-port=${member.p2pPort}`,
    '--rpc-http-enabled',
    `--rpc-http-port=${member.rpcPort}`,
    '--rpc-http-api=ETH,NET,WEB3,QBFT,TXPOOL,ADMIN',
    '--min-gas-price=0',
    // GoQuorum reads no other form.
    `--Xbft-legacy-protocol-encoding=${network === 'goquorum'}`,
    '--target-gas-limit=700000000',
    `--logging=${level}`,
    '--logging-format=PLAIN',
  ],
})

const besu = (member: Member, { genesisPath }: Setting): Command => ({
  file: executable('BESU'),
  arguments: [
    `--genesis-file=${genesisPath}`,
    `--data-path=${member.dataPath}`,
    '--p2p-host=127.0.0.1',
    '--p2p-interface=127.0.0.1',
    `--p2p-port=${member.p2pPort}`,
    '--discovery-enabled=false',
    '--rpc-http-enabled',
    `--rpc-http-port=${member.rpcPort}`,
    '--rpc-http-api=ETH,NET,WEB3,QBFT,TXPOOL,ADMIN',
    '--min-gas-price=0',
    '--sync-min-peers=1',
    '--target-gas-limit=700000000',
  ],
})

/** As many transactions may wait as in a node of this software; its own limits are for 4,096. */
const POOL_OPTIONS = ['--txpool.globalslots=20000', '--txpool.accountslots=1000']

const goquorum = (member: Member, { level }: Setting): Command => ({
  file: executable('GETH_QUORUM'),
  environment: { PRIVATE_CONFIG: 'ignore' },
  arguments: [
    `--datadir=${member.dataPath}`,
    `--nodekey=${join(member.dataPath, 'nodekey')}`,
    `--networkid=${CHAIN_ID}`,
    '--nodiscover',
    '--syncmode=full',
    `--port=${member.p2pPort}`,
    '--http',
    `--http.port=${member.rpcPort}`,
    '--http.api=admin,eth,net,web3,istanbul,txpool',
    '--mine',
    '--miner.threads=1',
    '--miner.gasprice=0',
    ...(level === 'DEBUG' ? ['--emitcheckpoints', '--verbosity=4'] : ['--verbosity=2']),
    ...POOL_OPTIONS,
  ],
})

const COMMANDS: Readonly<Record<Client, (member: Member, setting: Setting) => Command>> = {
  quorate,
  besu,
  goquorum,
}

/** Writes the key and the static nodes of a member, and what its client needs before its first start. */
export const prepareMember = (member: Member, others: readonly Member[], genesisPath: string): void => {
  const { dataPath, key, client } = member
  const nodes = `${JSON.stringify(others.map(enodeOf), undefined, 2)}\n`
  mkdirSync(join(dataPath, 'geth'), { recursive: true })
  writeFileSync(join(dataPath, 'static-nodes.json'), nodes)
  if (client === 'goquorum') {
    writeFileSync(join(dataPath, 'nodekey'), toBareHex(key.privateKey))
    const { status, stderr } = spawnSync(
      executable('GETH_QUORUM'),
      [`--datadir=${dataPath}`, 'init', genesisPath],
      { env: { ...process.env, PRIVATE_CONFIG: 'ignore' }, encoding: 'utf8' },
    )
    if (status !== 0) throw new Error(`geth init failed: ${stderr}`)
  } else writeFileSync(join(dataPath, 'key'), toHex(key.privateKey), { mode: 0o600 })
}

/** Starts a member as a process, with its log in `log.txt` of its folder. */
export const startMember = (
  member: Member,
  genesisPath: string,
  network: OtherClient,
  level: LogLevel = 'DEBUG',
): RunningMember => {
  const setting = { genesisPath, network, level }
  const { file, arguments: given, environment = {} } = COMMANDS[member.client](member, setting)
  const log = openSync(join(member.dataPath, 'log.txt'), 'a')
  const child: ChildProcess = spawn(file, [...given], {
    stdio: ['ignore', log, log],
    env: { ...process.env, ...environment },
  })
  closeSync(log)
  const ended = new Promise<void>(resolve => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  return {
    member,
    url: `http://127.0.0.1:${member.rpcPort}`,
    pid: child.pid ?? 0,
    stop: async signal => {
      child.kill(signal)
      const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
      await ended
      clearTimeout(force)
    },
  }
}
