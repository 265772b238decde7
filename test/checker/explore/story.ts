import { parseScope, type Scope, scopeText } from '../scope.ts'
import { type Step, violationAt, type Violation } from './explore.ts'
import { stepsOf } from './leaps.ts'
import { createNetwork, type Network, type Tuple } from './network.ts'

/** A step as it was replayed: what the validator sent then. */
type Replayed = Step & { readonly sent: readonly string[] }

export type Replay = {
  readonly steps: readonly Replayed[]
  /** What is broken after the last step. */
  readonly what: string | undefined
  /** The first step that is not possible. */
  readonly impossible: Step | undefined
}

const sentIn = (network: Network, before: number, after: number): readonly string[] => {
  const [old, now] = [network.locals.state(before).sent, network.locals.state(after).sent]
  return [...now]
    .filter(id => !old.has(id))
    .map(id => (network.world.actions.all[id]?.name ?? '?').replace(/^hears /, ''))
}

/** Takes these steps one after the other in a network of its own. */
export const replay = (scope: Scope, steps: readonly Step[]): Replay => {
  const network = createNetwork(scope)
  let tuple: Tuple = network.initial()
  const replayed: Replayed[] = []
  for (const step of steps) {
    const place = network.nodes.indexOf(step.node)
    const found =
      place < 0
        ? undefined
        : stepsOf(network, tuple, place).find(
            ({ path }) => network.world.actions.all[path[0] as number]?.name === step.action,
          )
    if (found === undefined) return { steps: replayed, what: undefined, impossible: step }
    const before = tuple[place] as number
    tuple = network.move(tuple, place, found.next)
    replayed.push({ ...step, sent: sentIn(network, before, found.next) })
    const what = violationAt(network, tuple, place)
    if (what !== undefined) return { steps: replayed, what, impossible: undefined }
  }
  return { steps: replayed, what: undefined, impossible: undefined }
}

/** Which rule is broken, without the names of the messages. */
const ruleOf = (what: string | undefined): string | undefined => what?.replace(/^a\d /, '').split(':')[0]

/** Leaves out every step without which the same rule is broken. */
export const shortened = (scope: Scope, violation: Violation): Violation => {
  let { what, steps } = violation
  for (let at = steps.length - 1; at >= 0; at--) {
    const fewer = steps.filter((_, index) => index !== at)
    const again = replay(scope, fewer)
    if (ruleOf(again.what) !== ruleOf(what)) continue
    what = again.what as string
    steps = again.steps
    at = Math.min(at, steps.length)
  }
  return { what, steps }
}

const SCOPE_LINE = 'bounds: '
const STEP_LINE = /^ *\d+\. a(\d+) (.+)$/

/** The story of a violation: who hears and sends what. `readStory` reads it again. */
export const storyOf = (scope: Scope, { what, steps }: Violation): string => {
  const replayed = replay(scope, steps)
  const lines = replayed.steps.flatMap(({ node, action, sent }, index) => [
    `${String(index + 1).padStart(3)}. a${node} ${action}`,
    ...sent.map(message => `       sends ${message}`),
  ])
  const roles = [
    `${scope.validators} validators`,
    scope.byzantine.length === 0 ? 'nobody lies' : `a${scope.byzantine.join(', a')} Byzantine`,
  ].join(', ')
  return [`${SCOPE_LINE}${scopeText(scope)}`, `(${roles})`, ...lines, `then: ${what}`].join('\n')
}

/** @throws ScopeError, and StoryError for a text that is no story */
export const readStory = (text: string): { readonly scope: Scope; readonly steps: readonly Step[] } => {
  const lines = text.split('\n')
  const scopeLine = lines.find(line => line.startsWith(SCOPE_LINE))
  if (scopeLine === undefined) throw new StoryError(`the text has no line that begins with '${SCOPE_LINE}'`)
  const steps = lines.flatMap(line => {
    const match = STEP_LINE.exec(line)
    return match === null ? [] : [{ node: Number(match[1]), action: match[2] as string }]
  })
  return { scope: parseScope(scopeLine.slice(SCOPE_LINE.length)), steps }
}

/** The text to replay is not a story of the checker; save its output to a file. */
export class StoryError extends Error {
  override readonly name = 'StoryError'
  readonly code = 'INVALID_STORY'
}
