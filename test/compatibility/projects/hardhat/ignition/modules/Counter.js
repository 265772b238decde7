import { buildModule } from '@nomicfoundation/hardhat-ignition/modules'

export default buildModule('Counter', module => {
  const counter = module.contract('Counter', [5n])
  module.call(counter, 'add', [2n])
  return { counter }
})
