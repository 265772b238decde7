import packageFile from '../package.json' with { type: 'json' }

export const NAME = packageFile.name
export const VERSION: string = packageFile.version
