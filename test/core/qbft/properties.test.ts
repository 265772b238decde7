import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Input } from '../../../core/qbft/input.ts'
import { transition } from '../../../core/qbft/machine.ts'
import { initialState } from '../../../core/qbft/state.ts'
import { seededRandom } from '../../support/random.ts'
import { everythingFor, happenings } from './support/chance.ts'
import { frozen } from './support/frozen.ts'
import { at, networkKeys } from './support/keys.ts'
import { createMortal } from './support/mortal.ts'
import { environmentOf, headOf } from './support/node.ts'
import { createWitness } from './support/witness.ts'

setDefaultTimeout(120_000)

const KEYS = networkKeys(4)
const SEEDS_EACH = 20
const GROUPS = 40

describe.each(KEYS.map((_, index) => index))(
  'given validator %d of four and any behaviour of the others',
  own => {
    const key = at(KEYS, own)
    const everything = everythingFor(KEYS, key)
    const inputsOf = ({ below }: ReturnType<typeof seededRandom>): readonly Input[] =>
      happenings(everything, GROUPS, below)

    test('when it restarts any number of times, then it signs one value a round, records it first, and keeps its locks', () => {
      let signed = 0
      for (let seed = 1; seed <= SEEDS_EACH; seed++) {
        const random = seededRandom(seed * 7919 + own)
        const witness = createWitness(key, KEYS)
        const mortal = createMortal(KEYS, key, witness)
        mortal.restart()
        for (const input of inputsOf(random)) {
          const isKilled = random.below(25) === 0
          mortal.live(input, isKilled ? random.below(5) : undefined)
          if (isKilled) mortal.restart()
        }
        signed += witness.count('prepare') + witness.count('round-change') + witness.count('commit')
      }
      expect(signed).toBeGreaterThan(2 * SEEDS_EACH)
    })

    test('when state and input are equal, then the transition is, and changes neither', () => {
      const environment = frozen(environmentOf(key))
      const random = seededRandom(104_729 + own)
      let state = frozen(initialState(undefined))
      const inputs: readonly Input[] = [{ kind: 'head', head: headOf(KEYS) }, ...inputsOf(random)]
      for (const [index, input] of inputs.entries()) {
        const before = structuredClone({ state, input })
        const next = transition(environment, state, frozen(input), 100_000 + index)
        expect(transition(environment, state, input, 100_000 + index)).toEqual(next)
        expect({ state, input }).toEqual(before)
        state = frozen(next.state)
      }
    })
  },
)
