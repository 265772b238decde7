import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { network } from 'hardhat'
import CounterModule from '../ignition/modules/Counter.js'

const connection = await network.connect({ network: 'quorate' })
const { viem, ignition, networkHelpers } = connection

describe('Counter', () => {
  after(() => connection.close())

  const deploy = async () => ({ counter: await viem.deployContract('Counter', [1n]) })

  it('counts, and begins again with each fixture', async () => {
    for (let run = 0; run < 3; run++) {
      const { counter } = await networkHelpers.loadFixture(deploy)
      assert.equal(await counter.read.count(), 1n)
      await counter.write.add([41n])
      assert.equal(await counter.read.count(), 42n)
    }
  })

  it('tells a custom error of a caller', async () => {
    const { counter } = await networkHelpers.loadFixture(deploy)
    const [, stranger] = await viem.getWalletClients()
    await assert.rejects(counter.write.reset({ account: stranger.account }), /NotOwner/)
  })

  it('takes the helpers of time, state, accounts and mining', async () => {
    const client = await viem.getPublicClient()
    const address = '0x00000000000000000000000000000000000abcde'
    await networkHelpers.setBalance(address, 10n ** 18n)
    assert.equal(await client.getBalance({ address }), 10n ** 18n)
    await networkHelpers.impersonateAccount(address)
    const { counter } = await networkHelpers.loadFixture(deploy)
    await networkHelpers.setBalance(address, 10n ** 18n)
    await networkHelpers.impersonateAccount(address)
    const wallet = await viem.getWalletClient(address)
    await wallet.writeContract({ address: counter.address, abi: counter.abi, functionName: 'add', args: [1n] })
    assert.equal(await counter.read.count(), 2n)
    await networkHelpers.stopImpersonatingAccount(address)
    await networkHelpers.setStorageAt(counter.address, 0n, 9n)
    assert.equal(await counter.read.count(), 9n)
    const before = await networkHelpers.time.latest()
    await networkHelpers.time.increase(3_600)
    assert.ok((await networkHelpers.time.latest()) >= before + 3_600)
    const height = await networkHelpers.time.latestBlock()
    await networkHelpers.mine(10, { interval: 12 })
    assert.equal(await networkHelpers.time.latestBlock(), height + 10)
    const snapshot = await networkHelpers.takeSnapshot()
    await counter.write.add([1n])
    await snapshot.restore()
    assert.equal(await counter.read.count(), 9n)
  })

  it('is deployed by Ignition', async () => {
    const { counter } = await ignition.deploy(CounterModule)
    assert.equal(await counter.read.count(), 7n)
  })
})
