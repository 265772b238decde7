import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '../../runtime/devnet/ports.ts'
import { type Fence, fencesOf, pages } from '../structure/markdown.ts'
import { type FreshCopy, freshCopy } from './freshCopy.ts'
import { type Background, runScript, startScript } from './shell.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(120_000)

const FENCES = pages().flatMap(fencesOf)

/** What test/runtime/auth/proxies.test.ts runs. */
const PROXY_LANGUAGES: ReadonlySet<string> = new Set(['nginx', 'caddy'])

/** What test/runtime/packaging/package.test.ts runs. */
const EXAMPLES_FOLDER = join(import.meta.dir, '../examples')
const EXAMPLES: readonly string[] = readdirSync(EXAMPLES_FOLDER).map(name =>
  readFileSync(join(EXAMPLES_FOLDER, name), 'utf8'),
)

const run = new Set<Fence>()

/** The block of a page that has this text. */
const fence = (page: string, part: string): string => {
  const found = FENCES.find(each => each.page === page && each.text.includes(part))
  if (found === undefined) throw new Error(`${page} has no block with ${part}`)
  run.add(found)
  return found.text
}

let copy: FreshCopy
/** In place of those that the pages name: others may listen there. */
let ports: ReadonlyMap<string, string>
let environment: Readonly<Record<string, string>>

beforeAll(async () => {
  copy = freshCopy()
  const [http, ws, graphql, p2p, otherP2p] = (await freePorts(5)).map(String) as [
    string,
    string,
    string,
    string,
    string,
  ]
  ports = new Map([
    ['8545', http],
    ['8546', ws],
    ['8547', graphql],
    ['30303', p2p],
    ['30304', otherP2p],
  ])
  environment = {
    QUORATE_RPC_HTTP_PORT: http,
    QUORATE_RPC_WS_PORT: ws,
    QUORATE_GRAPHQL_HTTP_PORT: graphql,
    QUORATE_P2P_PORT: p2p,
    QUORATE_P2P_INTERFACE: '127.0.0.1',
  }
})

const background: Background[] = []

/** Stops what a test started, whether it passed or not. */
const withStop = async (body: () => Promise<void>): Promise<void> => {
  try {
    await body()
  } finally {
    await Promise.all(background.splice(0).map(each => each.stop()))
  }
}

afterAll(() => copy.remove())

const atFreePorts = (text: string): string =>
  text.replace(/\b(?:8545|8546|8547|30303|30304)\b/g, port => ports.get(port) as string)

const shell = (text: string, input?: string): Promise<string> =>
  runScript(copy, atFreePorts(text), { environment, ...(input === undefined ? {} : { input }) })

const start = (text: string, more: Readonly<Record<string, string>> = {}, input?: string): Background => {
  const started = startScript(copy, atFreePorts(text), {
    environment: { ...environment, ...more },
    ...(input === undefined ? {} : { input }),
  })
  background.push(started)
  return started
}

/** Writes a program of a page into the copy and gives the command that runs it. */
const program = (name: string, text: string): string => {
  writeFileSync(join(copy.folder, name), atFreePorts(text))
  return `bun ${name}`
}

const LISTENING = /Listening on 127/

/** The pages show requests by curl, as most people make them. */
const HAS_CURL = Bun.which('curl') !== null

describe.skipIf(!HAS_CURL)(
  `given a fresh copy and the commands of the pages${HAS_CURL ? '' : ' (curl is not installed)'}`,
  () => {
    test('when a development chain runs, then the examples of curl, viem, WebSocket and GraphQL work, and it is exported', () =>
      withStop(async () => {
        const node = start('bun run node --rpc-ws-enabled --graphql-http-enabled')
        await node.shows(LISTENING)
        expect(await shell(fence('README.md', 'eth_chainId'))).toContain('"0x539"')
        const [, probe] = /'probe', '(.+)'\]/.exec(fence('runtime/README.md', 'healthcheck:')) ?? []
        await shell(`bun run node probe '${probe}'`)
        await shell(fence('runtime/README.md', 'ExecStartPost=').replace('ExecStartPost=', ''))
        const watcher = start(program('watch.ts', fence('handlers/README.md', 'watchBlocks')))
        const graphql = start(fence('handlers/README.md', 'newHeads { number hash }'))
        await graphql.shows(/"block"/)
        // A block is made for the transaction of the example; the watcher may connect after the first.
        const send = program('send.ts', fence('README.md', 'sendTransaction'))
        do expect(await shell(send)).toContain('success')
        while (!/^\d+n 0x/m.test(watcher.output()))
        await graphql.shows(/"newHeads"/)
        await node.stop()
        await shell(fence('runtime/README.md', 'blocks export --to=chain.rlp  '))
      }))

    test('when a genesis file is made, then a validator and a node that follows it run, and the chain moves by a file', () =>
      withStop(async () => {
        const page = 'runtime/README.md'
        // The lines before it say that the key was created.
        const extraData = (await shell(fence(page, 'rlp encode'))).trim().split('\n').at(-1) as string
        expect(extraData).toMatch(/^0x[0-9a-f]+$/)
        const genesis = fence(page, '"extraData": "0x..."').replace('0x...', extraData)
        writeFileSync(join(copy.folder, 'genesis.json'), genesis)
        const validator = start(fence(page, '--rpc-http-api=ETH,NET,WEB3,QBFT'))
        await validator.shows(/Produced #1 /)
        expect(await shell(fence(page, 'node doctor'))).toContain('Blocks are decided')
        const publicKey = (await shell(fence(page, 'public-key export --data-path'))).trim().slice(2)
        const follower = start(
          fence(page, '--bootnodes=')
            .replace('--p2p-port=30303', '--p2p-port=30304')
            .replace('--rpc-http-port=8545', '--rpc-http-port=8547')
            .replace('<public key of node1>', publicKey)
            .replaceAll(/node[12]\.example\.org/g, '127.0.0.1'),
        )
        await follower.shows(/Imported #\d/)
        expect(follower.output()).not.toContain('--rpc-http-port has been ignored')
        // Last: of two validators one that is not there stops the chain.
        const vote = fence(page, 'qbft_proposeValidatorVote').replace('<address>', '12'.repeat(20))
        expect(await shell(vote)).toContain('"result":true')
        await Promise.all([follower.stop(), validator.stop()])
        const moved = await shell(fence(page, 'blocks import --genesis-file'))
        expect(moved).toContain('blocks')
        expect(await shell(fence(page, 'snapshot create'))).toContain('Restored the chain up to block')
        expect(await shell(fence(page, 'storage check'))).toContain('as their checksums and roots say')
        await start(fence(page, '--prune-history=')).shows(/Started/)
      }))

    test('when a node has a key, then it is encrypted', async () => {
      expect(await shell(fence('runtime/README.md', 'keys import'))).toContain('with the key of')
    })

    test('when the files of a network are written, then they are checked, and its node lists the validators', () =>
      withStop(async () => {
        const page = 'runtime/procedures.md'
        expect(await shell(fence(page, 'network init'))).toContain('wrote genesis.json')
        expect(await shell(fence(page, 'genesis check'))).toContain('all files are of the same network')
        // The lines before it say that the key was created.
        const keys = [
          await shell(fence(page, 'public-key export --data-path=node1').replace('=node1', '=company1')),
          await shell('bun run --silent node public-key export --data-path=company2'),
        ].map(text => text.trim().slice(-128))
        const network = keys.reduce(
          (text, key, index) => text.replace(`<public key ${index + 1}>`, key),
          fence(page, '"blockchain"'),
        )
        writeFileSync(join(copy.folder, 'network.json'), network)
        expect(await shell(fence(page, 'generate-blockchain-config'))).toContain('the keys of 2 validators')
        const alone = start('bun run node --config-file=mynet/validator1/quorate.toml --metrics-port=0')
        await alone.shows(/Produced #1 /)
        expect(await shell(fence(page, 'validators list'))).toContain('1 validator: it makes all blocks')
        await alone.stop()
        // The network of two companies, of which each wrote the other's enode URL down.
        for (const [index, port] of ['30304', '30303'].entries())
          writeFileSync(
            join(copy.folder, `company${index + 1}`, 'static-nodes.json'),
            JSON.stringify([`enode://${keys[1 - index]}@127.0.0.1:${ports.get(port)}`]),
          )
        const first = fence(page, '--p2p-host=a.example')
          .trim()
          .replace('a.example', '127.0.0.1')
          .replace('=node1', '=company1')
        start(first)
        const second = `${first.replace('=company1', '=company2')} --p2p-port=30304 --rpc-http-port=8547`
        await start(second).shows(/(?:Produced|Imported) #1 /)
      }))

    test('when the options of a unit are in a file, then they are valid', async () => {
      writeFileSync(join(copy.folder, 'node.toml'), fence('runtime/README.md', 'p2p-host = '))
      expect(await shell('bun run node validate-config --config-file=node.toml')).toContain('is valid')
    })

    test('when a credentials file is made, then alice logs in, also where a proxy stands before the node', () =>
      withStop(async () => {
        const page = 'handlers/README.md'
        const node = start(fence(page, 'password hash'), {}, 'secret\n')
        await node.shows(LISTENING)
        const login = fence(page, '8545/login').replace('"..."', '"secret"')
        expect(await shell(login)).toMatch(/"result":"0x/)
        await node.stop()
        const behindProxy = start(fence('runtime/README.md', '--rpc-trusted-proxies=127.0.0.1'))
        await behindProxy.shows(LISTENING)
        expect(await shell(login.replaceAll('curl -s', "curl -s -H 'host: node.example.org'"))).toMatch(
          /"result":"0x/,
        )
      }))

    test('when the permission lists are in a file, then a node starts with them', () =>
      withStop(async () => {
        const lists = fence('runtime/README.md', 'accounts-allowlist=')
        writeFileSync(join(copy.folder, 'permissions.toml'), lists)
        const options = ['accounts', 'nodes'].map(
          kind =>
            `--permissions-${kind}-config-file-enabled --permissions-${kind}-config-file=permissions.toml`,
        )
        const node = start(`bun run node --data-path=permitted ${options.join(' ')}`)
        await node.shows(LISTENING)
      }))

    test.skipIf(Bun.which('openssl') === null)(
      'when a certificate is in the configuration file, then the node serves TLS and asks clients for theirs',
      () =>
        withStop(async () => {
          const config = fence('runtime/README.md', 'rpc-http-tls-cert-file').replaceAll('/etc/ssl/', '')
          writeFileSync(join(copy.folder, 'tls.toml'), config)
          await shell(`openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=127.0.0.1 -keyout node.key -out node.pem
          cp node.pem clients-ca.pem`)
          const node = start('bun run node --data-path=tls --config-file=tls.toml')
          await node.shows(LISTENING)
          const liveness = 'curl -s --insecure https://127.0.0.1:8545/liveness'
          expect(await shell(`${liveness} --cert node.pem --key node.key`)).toContain('UP')
          expect(await shell(`${liveness} || echo refused`)).toContain('refused')
        }),
    )

    test.skipIf(Bun.which('openssl') === null)(
      'when another issuer signs tokens, then the node takes them',
      () =>
        withStop(async () => {
          const page = 'handlers/README.md'
          const node = start(fence(page, 'openssl genpkey'))
          await node.shows(LISTENING)
          expect(await shell(fence(page, 'openssl dgst'))).toMatch(/"result":"0x/)
        }),
    )

    test('when the alert rules and the dashboard are printed, then they are files', async () => {
      await shell(fence('runtime/README.md', 'metrics alerts'))
      expect(await shell('ls alerts.yml dashboard.json')).toContain('dashboard.json')
    })

    test('when a network runs on this machine, then it makes blocks', () =>
      withStop(async () => {
        const free = { QUORATE_RPC_HTTP_PORT: '0', QUORATE_P2P_PORT: '0' }
        const network = start(fence('README.md', 'bun run network'), free)
        await network.shows(/^#1 .* seals$/m)
      }))

    test('when tests, simulations and attacks are asked for, then they run', async () => {
      const page = 'test/README.md'
      expect(await shell(fence(page, 'test/core/rlp'))).toContain(' 0 fail')
      const simulated = await shell(fence(page, 'bun run simulate').replace('--seeds=3', '--seeds=1'))
      expect(simulated).toContain('violations  0')
      expect(await shell(fence(page, 'bun run attack --list'))).toContain('rolling-restarts')
    })

    test('then every block of every page was run here, or says why it is not', () => {
      const left = FENCES.filter(
        each =>
          each.language !== 'text' &&
          each.notRun === undefined &&
          !PROXY_LANGUAGES.has(each.language) &&
          !EXAMPLES.some(program => program.includes(each.text.trimEnd())) &&
          !run.has(each) &&
          !(Bun.which('openssl') === null && /openssl|rpc-http-tls/.test(each.text)),
      )
      expect(left.map(({ page, line }) => `${page}:${line}`)).toEqual([])
    })
  },
)
