import { readFileSync } from 'node:fs'
import type { Address } from '../../core/bytes/bytes.ts'
import { qbftSealHash } from '../../core/block/codec/blockHash.ts'
import { sealOfSignature } from '../../core/block/codec/seal.ts'
import { signTransaction } from '../../core/block/codec/signature.ts'
import type { RecoveredTransaction } from '../../core/block/transaction.ts'
import { openChain } from '../../core/chain/opening/openChain.ts'
import { addressOfPrivateKey, sign } from '../../core/crypto/crypto.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../core/genesis/development/accounts.ts'
import { parseGenesis } from '../../core/genesis/parse/parse.ts'
import { withSeals } from '../../core/qbft/codec/roundOfBlock.ts'
import { openChainStore } from '../../core/store/chainStore.ts'
import { openStorage } from '../../runtime/drivers/open.ts'
import { useFastEngine } from '../../runtime/node/opening/engine.ts'
import { BARE_FIELDS } from '../support/chains/bareFields.ts'
import { testAddress, testKey } from './genesis.ts'

const [SENDER] = DEVELOPMENT_ACCOUNTS as unknown as readonly [{ readonly privateKey: Uint8Array }]

const transferOf = (nonce: number, to: Address): RecoveredTransaction => ({
  sender: addressOfPrivateKey(SENDER.privateKey),
  transaction: signTransaction(
    {
      type: 0,
      chainId: 4242n,
      nonce: BigInt(nonce),
      maxPriorityFeePerGas: 2_000_000_000n,
      maxFeePerGas: 2_000_000_000n,
      gasLimit: 21_000n,
      to,
      value: 1n,
      data: new Uint8Array(0),
      ...BARE_FIELDS,
    },
    SENDER.privateKey,
  ),
})

/**
 * Writes a chain of that many blocks into a data path, without a node: many blocks would take a node their periods. Each block
 * whose number `every` divides has a transfer to `to`. The network is one of `writeNetwork`.
 */
export const growChain = async (
  dataPath: string,
  genesisFile: string,
  blocks: number,
  every: number,
  to: Address,
): Promise<void> => {
  await useFastEngine()
  const store = await openChainStore(await openStorage('sqlite', dataPath))
  const chain = await openChain({
    genesis: parseGenesis(JSON.parse(readFileSync(genesisFile, 'utf8'))),
    store,
    onError: error => {
      throw error
    },
  })
  let nonce = 0
  for (let number = 1; number <= blocks; number++) {
    const candidates = number % every === 0 ? [transferOf(nonce++, to)] : []
    const built = await chain.buildBlock({
      coinbase: testAddress(1),
      timestamp: chain.head().header.timestamp + 1n,
      targetGasLimit: undefined,
      vanity: new Uint8Array(32),
      minGasPrice: 0n,
      round: 0,
      candidates: { next: () => candidates.shift(), skip: () => undefined },
      full: () => false,
    })
    const seal = sealOfSignature(sign(qbftSealHash(built.block.header), testKey(1)))
    await chain.commitBuilt(built, withSeals(built.block, 0, [seal]).header, 'soon')
  }
  await store.settle()
  await store.close()
}
