import { fromHex } from '../../../core/bytes/hex.ts'

/**
 * What a GoQuorum 24.4.1 sent, inflated: one of two validators of a chain with the id 1337, whose key is 32 bytes of 0x11, and
 * whose genesis file is that of test/devp2p/genesis.ts. The other validator, whose key is 32 bytes of 0x22, was silent.
 */
/** Its hello. */
export const GOQUORUM_HELLO = fromHex(
  'f8b305b838476574682f76312e31302e332d737461626c652871756f72756d2d7632342e342e31292f6c696e75782d616d64' +
    '36342f676f312e32362e38f4c58365746841c58365746842ca88697374616e62756c40ca88697374616e62756c63ca886973' +
    '74616e62756c64c684736e61700180b8404f355bdcb7cc0af728ef3cceb9615d90684bb5b2ca5f859ab0f0b704075871aa38' +
    '5b6b1b8ead809ca67454d9683fcf2ba03456d6fe2c4abe2b07f0fbdbb2f1c1',
)
/** Its status of eth/66. */
export const GOQUORUM_STATUS = fromHex(
  'f84e4282053901a0484a4b54d9c3cd1d4f4bf24181723b453066c714be742debb4b6c19748ee0476a0484a4b54d9c3cd1d4f' +
    '4bf24181723b453066c714be742debb4b6c19748ee0476c6844bd71df180',
)
/** Its round change to round 2 of block 1. */
export const GOQUORUM_ROUND_CHANGE = fromHex(
  'f84bf847c30102c0b8412af0a75a2f8a88e3f6d492f8cc7d6e490f6b4628c6adbf70bdb0864a47b30f305982c75337dbfffc' +
    'cdea02386b1c1d62071ec92c3921a032f6176e722028f6cc01c0c0',
)
