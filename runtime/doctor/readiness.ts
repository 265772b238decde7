import { isObject } from '../../core/json.ts'
import type { Check } from './checks.ts'
import { EndpointSilent, getText } from './getText.ts'
import { printableStrings } from './texts.ts'

const reasonsOf = (text: string): readonly string[] => {
  try {
    const answer: unknown = JSON.parse(text, printableStrings)
    const reasons = isObject(answer) ? answer['reasons'] : undefined
    return Array.isArray(reasons) ? reasons.filter(reason => typeof reason === 'string') : []
  } catch {
    // Something else answers at that path.
    return []
  }
}

/** Fails with the reasons of `/readiness` where the node is not ready; undefined where it is, or does not say. */
export const checkReadiness = async (url: string): Promise<Check | undefined> => {
  try {
    const { status, text } = await getText(new URL('/readiness', url).href)
    const reasons = status === 503 ? reasonsOf(text) : []
    return reasons.length === 0 ? undefined : { name: 'ready', passed: false, text: reasons.join('; ') }
  } catch (error) {
    // A proxy may pass on the calls alone.
    if (error instanceof EndpointSilent) return undefined
    throw error
  }
}
