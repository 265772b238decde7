import type { Address } from '../../core/bytes/bytes.ts'
import { toHex } from '../../core/bytes/hex.ts'
import { encodeExtraData } from '../../core/block/codec/extraData.ts'

/** The account that all transactions of a run come from: the first of the usual test mnemonic. */
export const SENDER_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const SENDER = 'f39fd6e51aad88f6f4ce6ab8827279cfffb92266'

export const CHAIN_ID = 1337

/** Whose network it is: one that GoQuorum takes part in is limited to what it reads. */
export type OtherClient = 'besu' | 'goquorum'

const BERLIN_FORKS = [
  'homesteadBlock',
  'eip150Block',
  'eip155Block',
  'eip158Block',
  'byzantiumBlock',
  'constantinopleBlock',
  'petersburgBlock',
  'istanbulBlock',
  'muirGlacierBlock',
  'berlinBlock',
]

/** Every fork up to Cancun from the start, gas for nothing. */
const BESU_KEYS = { londonBlock: 0, shanghaiTime: 0, cancunTime: 0, zeroBaseFee: true }

/** Every fork up to Berlin, none after, gas for nothing, and the keys that make GoQuorum act as the others. */
const GOQUORUM_KEYS = { isQuorum: true, txnSizeLimit: 64, maxCodeSizeConfig: [{ block: 0, size: 24 }] }

/** A genesis file that the other client and this node read alike. */
export const mixedGenesisText = (
  client: OtherClient,
  validators: readonly Address[],
  blockPeriodSeconds: number,
  alloc: object = { [SENDER]: { balance: '0x446c3b15f9926687d2c40534fdb564000000000000' } },
): string => {
  const genesis = {
    config: {
      chainId: CHAIN_ID,
      ...Object.fromEntries(BERLIN_FORKS.map(fork => [fork, 0])),
      ...(client === 'besu' ? BESU_KEYS : GOQUORUM_KEYS),
      qbft: {
        epochlength: 30_000,
        blockperiodseconds: blockPeriodSeconds,
        requesttimeoutseconds: 4,
        policy: 0,
        ceil2Nby3Block: 0,
      },
    },
    nonce: '0x0',
    timestamp: '0x0',
    gasLimit: '0x2faf0800',
    difficulty: '0x1',
    number: '0x0',
    gasUsed: '0x0',
    mixHash: '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365',
    coinbase: `0x${'0'.repeat(40)}`,
    parentHash: `0x${'0'.repeat(64)}`,
    alloc,
    extraData: toHex(
      encodeExtraData({ vanity: new Uint8Array(32), validators, vote: undefined, round: 0, seals: [] }),
    ),
  }
  return `${JSON.stringify(genesis, undefined, 2)}\n`
}
