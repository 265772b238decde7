import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { withFolder } from '../../folder.ts'
import { PROCESS_TEST_TIMEOUT_MS, runCommand, startNode } from '../../nodeProcess.ts'

setDefaultTimeout(PROCESS_TEST_TIMEOUT_MS)

const STRANGER = '0x00000000000000000000000000000000000abcde'

test('given a development chain whose state was set by hand, when it starts again after it was killed, then the edits are there, and it is neither exported nor followed', () =>
  withFolder(async folder => {
    const node = await startNode(folder)
    await node.rpc('anvil_setBalance', STRANGER, '0x5')
    await node.rpc('evm_mine')
    await node.rpc('anvil_setNonce', STRANGER, '0x7')
    const snapshot = await node.rpc('evm_snapshot')
    await node.rpc('anvil_setNonce', STRANGER, '0x8')
    await node.rpc('anvil_setCode', STRANGER, '0x6000')
    expect(await node.rpc<boolean>('evm_revert', snapshot)).toBe(true)
    await node.kill()

    const again = await startNode(folder)
    expect(await again.rpc<string>('eth_getBalance', STRANGER, 'latest')).toBe('0x5')
    expect(await again.rpc<string>('eth_getTransactionCount', STRANGER, 'latest')).toBe('0x7')
    expect(await again.rpc<string>('eth_getCode', STRANGER, 'latest')).toBe('0x')
    await again.rpc('evm_mine')
    expect(await again.rpc<string>('eth_getTransactionCount', STRANGER, 'latest')).toBe('0x7')
    expect(await again.stop()).toBe(0)

    const exported = await runCommand([
      'blocks',
      'export',
      `--data-path=${folder}`,
      `--to=${join(folder, 'chain.rlp')}`,
    ])
    expect(exported.code).not.toBe(0)
    expect(exported.error).toContain('was set by hand')

    const followed = await runCommand([
      `--data-path=${folder}`,
      '--rpc-http-port=0',
      '--p2p-enabled',
      '--p2p-port=0',
    ])
    expect(followed.code).not.toBe(0)
    expect(followed.error).toContain('was set by hand')

    const copied = await runCommand([
      `--data-path=${folder}`,
      '--rpc-http-port=0',
      '--replicate-to=redis?url=redis://127.0.0.1:1',
    ])
    expect(copied.code).not.toBe(0)
    expect(copied.error).toContain('was set by hand')
  }))
