import { nearest } from '../../collections/nearest.ts'
import { type Entry, type Section, sectionOf } from './section.ts'

/** Keys of other clients that resemble a known key, and are not typing errors. */
const OTHER_CLIENTS: ReadonlySet<string> = new Set(['eip155block'])

/** The sections below a value, in objects and in lists of objects. */
const sectionsIn = ({ path, value }: Entry): readonly Section[] => {
  if (Array.isArray(value))
    return value.flatMap((element: unknown, index) =>
      sectionsIn({ path: `${path}[${index}]`, value: element }),
    )
  return typeof value === 'object' && value !== null ? [sectionOf({ path, value })] : []
}

/**
 * Warnings about keys that resemble a known one, such as `berlinBlok`: they have no effect. Other unknown keys are accepted
 * silently, as in Besu. Called after the file was parsed, as parsing looks up the known keys.
 */
export const misspelledKeys = (section: Section): readonly string[] => {
  // A section without a known key is one that only other clients read.
  if (section.known.size === 0) return []
  return [...section.entries].flatMap(([lower, entry]) => {
    if (section.known.has(lower)) return sectionsIn(entry).flatMap(misspelledKeys)
    const near = OTHER_CLIENTS.has(lower) ? undefined : nearest(lower, section.known.values())
    return near === undefined
      ? []
      : [`${entry.path}: has no effect, the key is unknown. Did you mean ${near}?`]
  })
}
