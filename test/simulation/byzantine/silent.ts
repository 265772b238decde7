import type { Attack } from './attacker.ts'

/** Listens, and says nothing. */
export const silent: Attack = ({ plain }) => ({
  ...plain,
  send: () => undefined,
  inform: () => undefined,
})
