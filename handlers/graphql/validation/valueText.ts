import { Kind, type ValueNode } from 'graphql'

const list = (values: readonly ValueNode[]): string => values.map(valueText).join(', ')

/** A literal as in the messages of Besu's GraphQL library, `StringValue{value='12'}`. */
export const valueText = (node: ValueNode): string => {
  switch (node.kind) {
    case Kind.STRING:
      return `StringValue{value='${node.value}'}`
    case Kind.INT:
      return `IntValue{value=${node.value}}`
    case Kind.FLOAT:
      return `FloatValue{value=${node.value}}`
    case Kind.BOOLEAN:
      return `BooleanValue{value=${node.value}}`
    case Kind.NULL:
      return 'NullValue{}'
    case Kind.ENUM:
      return `EnumValue{name='${node.value}'}`
    case Kind.VARIABLE:
      return `VariableReference{name='${node.name.value}'}`
    case Kind.LIST:
      return `ArrayValue{values=[${list(node.values)}]}`
    case Kind.OBJECT:
      return `ObjectValue{objectFields=[${node.fields
        .map(({ name, value }) => `ObjectField{name='${name.value}', value=${valueText(value)}}`)
        .join(', ')}]}`
  }
}
