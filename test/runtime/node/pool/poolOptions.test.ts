import { expect, test } from 'bun:test'
import { parseGenesisText } from '../../../../core/genesis/parse/parse.ts'
import { freeGasWarnings } from '../../../../runtime/node/pool/poolOptions.ts'
import { genesisText } from '../../genesis.ts'

const genesisFile = 'genesis.json'

test.each([
  [true, undefined, 1],
  [true, 0n, 0],
  [false, undefined, 0],
])(
  'given a network whose zeroBaseFee is %p, when the minimum gas price is %p, then there are %d warnings',
  (zeroBaseFee, minGasPrice, count) => {
    const { configuration } = parseGenesisText(genesisText({ config: { zeroBaseFee } }))
    const warnings = freeGasWarnings({ minGasPrice, genesisFile }, configuration)
    expect(warnings).toEqual(Array(count).fill(expect.stringContaining('give --min-gas-price=0')))
  },
)
