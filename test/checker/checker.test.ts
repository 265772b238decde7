import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { useCryptoEngine } from '../../core/crypto/crypto.ts'
import { POSITION_CODES } from '../../core/qbft/codec/position.ts'
import { QBFT_CODES } from '../../core/qbft/message.ts'
import { FORGERIES } from './adversary/adversary.ts'
import { explore, type Result } from './explore/explore.ts'
import { testEngine } from '../support/engine.ts'
import { createNetwork, type Network } from './explore/network.ts'
import { readStory, replay, storyOf } from './explore/story.ts'
import { walk } from './explore/walk.ts'
import { parseScope, scopeText } from './scope.ts'

setDefaultTimeout(120_000)

// The network of the checker signs with the engine of the simulation; other files of this process do not.
afterAll(() => useCryptoEngine(testEngine))

const LIMITS = { states: 1_000_000, seconds: 100 }

type Explored = { readonly network: Network; readonly result: Result }

const explored = (bounds: string, isNaive: boolean): Explored => {
  const network = createNetwork(parseScope(bounds))
  return { network, result: explore(network, { limits: LIMITS, isNaive }) }
}

/** Each validator with everything that others ever see of it: sent messages, blocks and restarts. */
const visible = ({ network: { locals, world } }: Explored): ReadonlySet<string> => {
  const seen = new Set<string>()
  for (let id = 0; id < locals.size(); id++) {
    const { node, chain, life } = locals.facts(id)
    const sent = [...locals.state(id).sent].map(message => world.actions.all[message]?.name)
    seen.add(
      `a${node} ${chain} ${life} ${sent.toSorted((one = '', other = '') => (one < other ? -1 : 1)).join()}`,
    )
  }
  return seen
}

/** Small enough to explore without reductions. */
const SMALL = [
  '--validators=3 --rounds=1 --commits',
  '--validators=4 --rounds=1 --byzantine=0 --values=2',
  '--validators=3 --rounds=1 --crashes=1',
]

describe('given bounds that can be explored without reductions', () => {
  test.each(SMALL)(
    'when leaps are taken instead of steps, then validators come to the same states: %s',
    bounds => {
      const [reduced, naive] = [explored(bounds, false), explored(bounds, true)]
      expect(reduced.result.isComplete && naive.result.isComplete).toBe(true)
      expect(reduced.result.states).toBeLessThanOrEqual(naive.result.states)
      expect(reduced.result.locals).toBe(naive.result.locals)
    },
  )

  test.each(SMALL)('when votes also come before their proposal, then others see the same: %s', bounds => {
    const [late, early] = [explored(bounds, false), explored(`${bounds} --early`, false)]
    expect(late.result.isComplete && early.result.isComplete).toBe(true)
    expect(visible(late)).toEqual(visible(early))
  })
})

test('given the kinds of messages that the machine takes, when the adversary is asked, then it makes each of them', () => {
  expect(Object.keys(FORGERIES).toSorted()).toEqual(
    [...Object.keys(QBFT_CODES), ...Object.keys(POSITION_CODES)].toSorted(),
  )
})

test('given a run that breaks no rule, when its story is read again, then it replays to the same story', () => {
  const scope = parseScope('--byzantine=3 --rounds=2')
  const steps = [
    { node: 0, action: 'its block timer fires' },
    { node: 1, action: 'hears proposal 1/0 a0 V0.0@0 ok' },
    { node: 1, action: 'hears prepare 1/0 a3 V0.0@0' },
    { node: 1, action: 'hears prepare 1/0 a0 V0.0@0' },
  ]
  const story = storyOf(scope, { what: 'nothing', steps })
  expect(story).toContain('sends commit 1/0 a1 V0.0@0 ok')
  expect(readStory(story)).toEqual({ scope, steps })
  expect(replay(scope, steps).impossible).toBeUndefined()
})

test('given bounds, when they are written as options, then they are read as the same bounds', () => {
  const text = '--validators=7 --byzantine=0,1 --crashes=1 --victim=2 --records=any --commits --change=leaves'
  expect(scopeText(parseScope(text)).split(' ').toSorted()).toEqual(text.split(' ').toSorted())
  expect(() => parseScope('--crashes=1 --byzantine=1')).toThrow('only an honest validator crashes')
})

test('given a seed, when states are walked at random twice, then both walks come to the same number of them', () => {
  const walked = (): number =>
    walk(createNetwork(parseScope('--validators=5 --byzantine=0 --odd --commits')), {
      seed: 7,
      lengthMax: 20,
      limits: { states: 40, seconds: 100 },
    }).states
  expect(walked()).toBe(walked())
})
