import type { HeaderChoice } from '../../../handlers/rpc/development/development.ts'
import type { ChangeableSettings } from '../minerSettings.ts'

export const NO_CHOICE: HeaderChoice = { coinbase: undefined, next: {} }

/** The header values of later blocks that users have chosen, which are part of the settings of produced blocks. */
export type HeaderChoices = {
  current(): HeaderChoice
  set(choice: HeaderChoice): void
  /** After a block: values of one block alone end. */
  blockMade(): void
}

export const createHeaderChoices = ({ settings, change }: ChangeableSettings): HeaderChoices => {
  let isChosen = false
  const set = ({ coinbase, next }: HeaderChoice): void => {
    isChosen = Object.values(next).some(value => value !== undefined)
    change({ coinbase, chosen: isChosen ? next : undefined })
  }
  return {
    current: () => {
      const { coinbase, chosen } = settings()
      return { coinbase, next: chosen ?? {} }
    },
    set,
    blockMade: () => {
      if (isChosen) set({ coinbase: settings().coinbase, next: {} })
    },
  }
}
