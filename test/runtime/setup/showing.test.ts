import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { signTransaction } from '../../../core/block/codec/signature.ts'
import { toHex } from '../../../core/bytes/hex.ts'
import { nodeKeyOf } from '../../../runtime/keys/nodeKey.ts'
import { transactionWith } from '../../core/txpool/fixtures.ts'
import { withFolder } from '../folder.ts'
import { runCommand } from '../nodeProcess.ts'

setDefaultTimeout(60_000)

describe('given config show', () => {
  test('then each value stands with its origin, and secrets do not stand there', () =>
    withFolder(async folder => {
      const file = join(folder, 'c.toml')
      writeFileSync(file, 'p2p-port = 7\nmax-peers = 3\nreplicate-to = ["redis?url=redis://me:hidden@host"]')
      const { code, out } = await runCommand(
        ['config', 'show', `--config-file=${file}`, '--rpc-http-port=1', '--nat-method=AUTO'],
        { environment: { BESU_MAX_PEERS: '9', QUORATE_RPC_WS_SSL_KEYSTORE_PASSWORD: 'hidden' } },
      )
      expect(code).toBe(0)
      const lines = out.split('\n').map(line => line.replace(/ +/g, ' ').trim())
      expect(lines).toContain(`p2p-port 7 p2p-port in ${file}`)
      expect(lines).toContain('max-peers 9 BESU_MAX_PEERS')
      expect(lines).toContain('rpc-http-port 1 --rpc-http-port')
      expect(lines).toContain('rpc-ws-port 8546 default')
      expect(out).toContain('--nat-method=AUTO has no effect: ')
      expect(out).not.toContain('hidden')
    }))
})

describe('given generate-completion', () => {
  test('when bash reads it, then commands and options are completed', async () => {
    const { out } = await runCommand(['generate-completion'])
    const complete = (...words: readonly string[]): readonly string[] => {
      const script = `${out}
COMP_WORDS=(quorate ${words.map(word => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
compopt() { :; }
_quorate; printf '%s\\n' "\${COMPREPLY[@]}"`
      return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim().split('\n')
    }
    expect(complete('--rpc-http-por')).toEqual(['--rpc-http-port='])
    expect(complete('network', 'init', '--ho')).toEqual(['--hosts='])
    expect(complete('valid')).toContain('validators')
  })

  test('when it is for another shell, then each command is there, and a strange shell is refused', async () => {
    const fish = await runCommand(['generate-completion', 'fish'])
    expect(fish.out).toContain(
      "complete -c quorate -n '__fish_seen_subcommand_from network; and __fish_seen_subcommand_from init' -l hosts -r",
    )
    expect((await runCommand(['generate-completion', 'zsh'])).out).toContain('bashcompinit')
    expect((await runCommand(['generate-completion', 'csh'])).error).toStartWith(
      'Give one shell: bash, zsh, fish',
    )
  })
})

describe('given txparse', () => {
  test('then each line gives its sender, or why it has none', async () => {
    const key = nodeKeyOf(new Uint8Array(32).fill(7))
    const signed = toHex(signTransaction(transactionWith({}), key.privateKey).encoded)
    const input = ['# comment', signed, signed.slice(2), 'xyz', '0x02', signed.slice(0, -2), ''].join('\n')
    const { code, out } = await runCommand(['txparse'], { input })
    const lines = out.trimEnd().split('\n')
    expect(code).toBe(0)
    expect(lines.slice(0, 3)).toEqual([toHex(key.address), toHex(key.address), 'err: the line is not hex'])
    expect(lines.slice(3).map(line => line.slice(0, 5))).toEqual(['err: ', 'err: '])
    expect((await runCommand(['txparse', '--corpus-file=missing'])).error).toBe(
      'Cannot read missing: there is no such file\n',
    )
  })
})
