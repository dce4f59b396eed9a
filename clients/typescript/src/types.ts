// Generated from the OpenAPI document by `cargo xtask docs`. Do not edit.

/** An accepted message. */
export interface AcceptedMessage {
  /** The id of the message. */
  id: string;
  /** Always `queued`. */
  status: "queued";
  /** Always `outbound`. */
  direction: "outbound";
  /** The type of the message. More values may be added. */
  type: "text" | "media" | "interactive" | "template" | "location" | "contacts" | "reaction" | "channel";
  /** The id of the conversation, which is created if the recipient is new. */
  conversation_id: string;
  /** The id of the contact. */
  contact_id: string;
  /** The contact as known when the message was accepted. Omitted in a stored answer of an earlier version. */
  contact?: MessageContact | null;
  /** The id of the account (the business's number) that the message is sent from. */
  account_id: string;
  /** The phone number that the message is sent to, in the form that the channel uses if that is known; null if the number is not known and the message is sent to the user id (since 2026). */
  phone_number: string | null;
  /**
   * The channel's user id that the message is sent to; omitted if it is sent to the phone
   * number.
   */
  channel_user_id?: string | null;
  /** The channel's id of the message; null until the channel has accepted it. */
  channel_message_id: string | null;
  /** The `client_ref` of the request. */
  client_ref: string | null;
  /** Warnings: `window_closed` if the customer service window of 24 hours is closed, `fallback_used` if the fallback template is sent because of that. */
  warnings: Array<"window_closed" | "fallback_used">;
  /** When the message was accepted. */
  created_at: string;
}

/** The contact that a message was exchanged with. */
export interface MessageContact {
  /** The id of the contact. */
  id: string;
  /** The phone number, in the form that the channel uses. Null until it is known. */
  phone_number: string | null;
  /** The channel's user id of the contact. Null until it is known. */
  channel_user_id: string | null;
  /** The username. Null until it is known. */
  username: string | null;
  /** The name that the contact chose. Null until it is known. */
  name: string | null;
}

/** A message that is sent later, or that was canceled. */
export interface ScheduledMessage {
  /** The id of the message, which it keeps when it is sent. */
  id: string;
  /** `scheduled` until the message is sent, `canceled` if it was canceled before. More values may be added. */
  status: "scheduled" | "canceled";
  /** The type of the message. More values may be added. */
  type: "text" | "media" | "interactive" | "template" | "location" | "contacts" | "reaction" | "channel" | "order" | "unsupported";
  /** The id of the account (the business's number) that the message is sent from. */
  account_id: string;
  /** The recipient's phone number; null if the request named the recipient otherwise. */
  phone_number: string | null;
  /** The recipient's user id; null if the request named the recipient otherwise. */
  channel_user_id: string | null;
  /** The id of the recipient's contact; null if the request named the recipient otherwise. */
  contact_id: string | null;
  /** The id of the conversation; null if the request named the recipient otherwise. */
  conversation_id: string | null;
  /** The `client_ref` of the request. */
  client_ref: string | null;
  /** When the message is sent. */
  send_at: string;
  /** When the message was scheduled. */
  created_at: string;
  /** When the message was canceled; null if it was not. */
  canceled_at: string | null;
}

/** A message that was only validated. */
export interface CheckedMessage {
  /** Always `true`. */
  valid: boolean;
  /** The id of the account (the business's number) that the message would be sent from. */
  account_id: string;
  /** The id of the contact, if it exists. */
  contact_id: string | null;
  /** The id of the conversation, if it exists. */
  conversation_id: string | null;
  /** Warnings, as for a message that is sent. */
  warnings: Array<"window_closed" | "fallback_used">;
  /** The text that the recipient would see. */
  rendered: string;
  /** What the channel is known to reject or to show wrongly. It never refuses a message. */
  lint: Array<LintFinding>;
}

/** Something that the reviewer is known to reject, or the channel to show wrongly. */
export interface LintFinding {
  /** The rule that the text breaks. More values may be added. */
  rule: "variable_at_edge" | "adjacent_variables" | "too_many_variables" | "promotional_word" | "url_shortener" | "unbalanced_formatting" | "language_mismatch" | "excessive_space" | "header_formatting" | "mixed_buttons" | "duplicate_button" | "shouting";
  /** `error` if the reviewer is known to reject this, `warning` if it often does. More values may be added. */
  severity: "error" | "warning";
  /** A sentence that says what to change. */
  message: string;
  /** The field, such as `components[0].text`. */
  field: string;
}

/** The answer to a send: an accepted message, or with `dry_run` a message that was only validated. */
export type SendResult = AcceptedMessage | ScheduledMessage | CheckedMessage;

/** The results of a batch. */
export interface BatchResults {
  /** One result for each message, in the order of the request. */
  results: Array<BatchResult>;
}

/** The result of one message of a batch. */
export interface BatchResult {
  /**
   * The status that the message would have been answered with alone: 201 if it is accepted, 200
   * if it was only validated.
   */
  status: number;
  /** The answer to the message; omitted if it was refused. */
  message?: SendResult | null;
  /** The error; omitted if the message was not refused. */
  error?: BatchError | null;
}

/** The error of one message of a batch, with the fields that the error has alone. */
export interface BatchError {
  /** A sentence for people. */
  error: string;
  /** A word for programs. */
  code: string;
}

/** A page of messages, newest first. */
export interface MessagePage {
  /** The messages. */
  data: Array<Message>;
  /** Whether there may be more entries after this page. */
  has_more: boolean;
  /** The value of `after` for the next page. If the list ends with this page, it is null. */
  next_after: string | null;
}

/** A message. */
export interface Message {
  /** The id of the message. */
  id: string;
  /** The id of the conversation. */
  conversation_id: string;
  /** The id of the contact. */
  contact_id: string;
  /** The contact as known now; in an event, as known when the event was recorded. */
  contact: MessageContact;
  /** The id of the account (the business's number). */
  account_id: string;
  /** The direction of the message. More values may be added. */
  direction: "outbound" | "inbound";
  /** The author of the message. More values may be added. */
  source: "api" | "inbox" | "agent" | "phone" | "customer";
  /**
   * The type of the message. `order` and `unsupported` are only received; `channel` is only
   * sent. More values may be added.
   */
  type: "text" | "media" | "interactive" | "template" | "location" | "contacts" | "reaction" | "channel" | "order" | "unsupported";
  /**
   * The text of a text message. For a reaction, the emoji, which is empty if the reaction was
   * removed.
   */
  text: string | null;
  /** The file of a media message. */
  media: MessageMedia | null;
  /** The words of a voice message that a contact sent; omitted if it was not transcribed. */
  transcript?: string | null;
  /** The interactive message that was sent, or the contact's answer to one. */
  interactive: InteractiveContent | null;
  /** The template and its parameters. */
  template: MessageTemplate | null;
  /** The location. */
  location?: MessageLocation | null;
  /** The contact cards. */
  contacts?: Array<MessageContactCard> | null;
  /** The channel-specific body that was passed on. */
  channel?: {
    type: string;
  } | null;
  /** The products that the contact ordered from a catalog. */
  order?: ReceivedOrder | null;
  /** The message as the channel reported it, if this version does not support its type. */
  unsupported?: UnsupportedMessage | null;
  /** The ad or post that led the contact to the business; omitted if there is none. */
  referral?: Referral | null;
  /** The product that the contact asks about; omitted if there is none. */
  referred_product?: ReferredProduct | null;
  /** Whether the contact forwarded the message; omitted if they did not. */
  forwarded?: boolean | null;
  /** Whether the message has been forwarded many times; omitted if it has not. */
  frequently_forwarded?: boolean | null;
  /** When the sender last edited the message; omitted if they have not. */
  edited_at?: string | null;
  /** The earlier versions of the message, the oldest first; omitted if it was not edited. */
  previous_versions?: Array<MessageVersion> | null;
  /** When the sender deleted the message; omitted if they have not. The content is kept. */
  deleted_at?: string | null;
  /** The status of the message. An inbound message is `received`. More values may be added. */
  status: "queued" | "sent" | "delivered" | "read" | "failed" | "received";
  /** The reason why the message failed. */
  error: MessageError | null;
  /** The `client_ref` of the request that sent the message. */
  client_ref: string | null;
  /** The `metadata` of the request that sent the message. */
  metadata: { [key: string]: string } | null;
  /** The id of the message that this one replies to. */
  reply_to: string | null;
  /** When the message was accepted or received. */
  created_at: string;
  /** When the channel accepted the message. */
  sent_at: string | null;
  /** When the message reached the recipient's phone. */
  delivered_at: string | null;
  /** When the recipient read the message. */
  read_at: string | null;
}

/** The file of a media message. */
export interface MessageMedia {
  /** The URL of the file; null until the file has been fetched. */
  url: string | null;
  /** The kind of file. More values may be added. */
  media_type: "image" | "video" | "audio" | "document" | "sticker" | null;
  /** The content type, for a file that a contact sent; null if the channel does not report it. */
  content_type?: string | null;
  /** The caption. */
  caption: string | null;
  /** The file name. */
  filename: string | null;
  /** Whether audio is a voice message; omitted if it is not. */
  voice?: boolean | null;
  /** Whether a sticker is animated; omitted if it is not. */
  animated?: boolean | null;
}

/** An interactive message, or the contact's answer to one. */
export type InteractiveContent = Interactive | InteractiveChoice;

/** An interactive message. */
export interface Interactive {
  /** The type of the interactive message, such as buttons, a list, or a link. More values may be added. */
  type: "button" | "list" | "cta_url" | "flow" | "location_request_message" | "request_contact_info" | "call_permission_request" | "address_message" | "catalog_message" | "product" | "product_list" | "carousel" | "order_details" | "order_status";
  /** The header, above the body. */
  header?: InteractiveHeader;
  /** The text. Required, except for `product`. */
  body?: InteractiveBody;
  /** The footer, in small print below the body. */
  footer?: InteractiveFooter;
  /** The action that the message offers. */
  action: {
    /** For `button`: the reply buttons. */
    buttons?: Array<InteractiveButton>;
    /** For `list`: the label of the button that opens the list. */
    button?: string;
    /**
     * For `list`: the sections, with at most 10 rows in all. For `product_list`: the sections,
     * with at most 30 products in all.
     */
    sections?: Array<InteractiveSection>;
    /**
     * The name of the action, for types that have one: `send_location` for
     * `location_request_message`, `review_and_pay` for `order_details`, `review_order` for
     * `order_status`, and otherwise the name of the type.
     */
    name?: string;
    /** The parameters of the action, for types that have them. */
    parameters?: InteractiveParameters;
    /** For `product` and `product_list`: the id of the catalog. */
    catalog_id?: string;
    /** For `product`: the id of the product in the catalog. */
    product_retailer_id?: string;
    /** For `carousel`: the cards. */
    cards?: Array<CarouselCard>;
  };
}

/** The header of an interactive message, above the body. */
export interface InteractiveHeader {
  /** The type of the header. The field of the same name holds its content. More values may be added. */
  type: "text" | "image" | "video" | "document";
  /** The text, of one line. */
  text?: string;
  /** The image. */
  image?: InteractiveLink;
  /** The video. */
  video?: InteractiveLink;
  /** The document. */
  document?: InteractiveDocument;
}

/** A file at a URL. */
export interface InteractiveLink {
  /** The URL of the file. */
  link: string;
}

/** A document at a URL. */
export interface InteractiveDocument {
  /** The URL of the document. */
  link: string;
  /** The file name that the recipient sees. */
  filename?: string;
}

/** The body of an interactive message. */
export interface InteractiveBody {
  /** The text. */
  text: string;
}

/** The footer of an interactive message. */
export interface InteractiveFooter {
  /** The text. */
  text: string;
}

/** A reply button. */
export interface InteractiveButton {
  /** The type of the button, always `reply`. */
  type: "reply";
  /** The id and the title of the button. */
  reply: {
    /** The id that is returned when the button is tapped. Each button has a different one. */
    id: string;
    /** The label of the button. Each button has a different one. */
    title: string;
  };
}

/** A section of a list. */
export interface InteractiveSection {
  /** The title. Required if there are several sections. */
  title?: string;
  /** Required for `list`: the rows. */
  rows?: Array<InteractiveRow>;
  /** Required for `product_list`: the products. */
  product_items?: Array<InteractiveProductItem>;
}

/** A row of a list. */
export interface InteractiveRow {
  /** The id that is returned when the row is chosen. Each row has a different one. */
  id: string;
  /** The title. */
  title: string;
  /** The description, below the title. */
  description?: string;
}

/** A product in a list. */
export interface InteractiveProductItem {
  /** The id of the product in the catalog. */
  product_retailer_id: string;
}

/** The parameters of the action. Each type of interactive message has its own. */
export interface InteractiveParameters {
  /** Required for `cta_url`: the label of the button. */
  display_text?: string;
  /** Required for `cta_url`: the URL that the button opens. */
  url?: string;
  /** For `flow`: the version, always `3`. More values may be added. */
  flow_message_version?: "3";
  /** For `flow`: the channel's id of the flow. Set exactly one of `flow_id` and `flow_name`. */
  flow_id?: string;
  /** For `flow`: the name of the flow. */
  flow_name?: string;
  /** Required for `flow`: the label of the button. */
  flow_cta?: string;
  /** For `flow`: your own identifier for this use of the flow, which is returned with the answer. */
  flow_token?: string;
  /** For `flow`: `draft` to test a flow that is not published. The default is `published`. More values may be added. */
  mode?: "published" | "draft";
  /** For `flow`: how the flow begins. The default is `navigate`, at a screen. More values may be added. */
  flow_action?: "navigate" | "data_exchange";
  /** For `flow` with `navigate`: the first screen and its data. */
  flow_action_payload?: FlowPayload;
  /**
   * For `catalog_message`: the id of the product whose image is shown; the first product of the
   * catalog if omitted.
   */
  thumbnail_product_retailer_id?: string;
  /** Required for `address_message`: the country code, two capital letters (ISO 3166). */
  country?: string;
  /** For `address_message`: the values that are filled in already. */
  values?: { [key: string]: unknown };
  /** For `address_message`: saved addresses to choose from. */
  saved_addresses?: Array<{ [key: string]: unknown }>;
  /** For `address_message`: the errors of an earlier answer. */
  validation_errors?: { [key: string]: unknown };
  /** Required for `order_details` and `order_status`: your own identifier for the order. */
  reference_id?: string;
  /** Required for `order_details`: the type of goods. More values may be added. */
  type?: "digital-goods" | "physical-goods";
  /** For `order_details`: the payment type, which depends on the country. */
  payment_type?: string;
  /** For `order_details`: the name of a payment configuration. */
  payment_configuration?: string;
  /** For `order_details`: the settings of the payment method. */
  payment_settings?: Array<{ [key: string]: unknown }>;
  /** Required for `order_details`: the currency code (ISO 4217), such as `INR`. */
  currency?: string;
  /** Required for `order_details`: the total amount to pay. */
  total_amount?: OrderAmount;
  /**
   * For `order_details`: the order with its items. Required for `order_status`: the order with
   * its status.
   */
  order?: InteractiveOrder;
}

/** The screen at which a flow begins. */
export interface FlowPayload {
  /** The first screen. */
  screen?: string;
  /** The data that the screen receives. Must not be empty. */
  data?: { [key: string]: unknown };
}

/** An amount of money. */
export interface OrderAmount {
  /** The amount multiplied by `offset`. */
  value: number;
  /** Always `100`. */
  offset: number;
}

/** An order. */
export interface InteractiveOrder {
  /** The status of the order; `pending` for `order_details`. More values may be added. */
  status: "pending" | "processing" | "partially-shipped" | "shipped" | "completed" | "canceled";
  /** For `order_status`: a sentence about the status. */
  description?: string;
  /** The id of the catalog that the items are from. */
  catalog_id?: string;
  /** Required for `order_details`: the items. */
  items?: Array<OrderItem>;
  /** Required for `order_details`: the subtotal of the items. */
  subtotal?: OrderAmount;
  /** The tax. */
  tax?: OrderCharge;
  /** The shipping costs. */
  shipping?: OrderCharge;
  /** The discount. */
  discount?: OrderCharge;
  /** For `order_details`: the time until which the order can be paid. */
  expiration?: OrderExpiration;
}

/** An item of an order. */
export interface OrderItem {
  /** The id of the item in the catalog, or your own id. */
  retailer_id: string;
  /** The name of the item. */
  name: string;
  /** The price of one unit. */
  amount: {
    /** The amount multiplied by `offset`. */
    value: number;
    /** Always `100`. */
    offset: number;
  };
  /** The reduced price of one unit. */
  sale_amount?: OrderAmount;
  /** The number of units. */
  quantity: number;
  /** The image of the item; the catalog's image if omitted. */
  image?: InteractiveLink;
  /** The country of origin. Like the importer, it is required for physical goods in India. */
  country_of_origin?: string;
  /** The name of the importer. */
  importer_name?: string;
  /** The address of the importer. */
  importer_address?: { [key: string]: unknown };
}

/** An amount that is added to the subtotal or deducted from it. */
export interface OrderCharge {
  /** The amount multiplied by `offset`. */
  value: number;
  /** Always `100`. */
  offset: number;
  /** The description of the amount. */
  description?: string;
  /** For a discount: the name of the discount program. */
  discount_program_name?: string;
}

/** The time until which an order can be paid. */
export interface OrderExpiration {
  /** The time, as Unix time in seconds in a string. */
  timestamp: string;
  /** The text that the recipient sees after that time. */
  description: string;
}

/** A card of a carousel. */
export interface CarouselCard {
  /** The index of the card, from 0. Each card has a different one. */
  card_index: number;
  /**
   * The type of the card: `product`, or `cta_url` for all other cards, including those with
   * reply buttons. More values may be added.
   */
  type: "cta_url" | "product";
  /** The image or video. Required, except for a product. */
  header?: InteractiveHeader;
  /** The text. Not allowed for a product. */
  body?: CarouselCardBody;
  /** The action that the card offers. */
  action: {
    /** For a link: `cta_url`. More values may be added. */
    name?: "cta_url";
    /** For a link: the label of the button and the URL that it opens. */
    parameters?: CarouselCardLink;
    /** The reply buttons. */
    buttons?: Array<CarouselCardButton>;
    /** For a product: the id of the catalog. */
    catalog_id?: string;
    /** For a product: the id of the product in the catalog. */
    product_retailer_id?: string;
  };
}

/** The text of a card, with at most two line breaks. */
export interface CarouselCardBody {
  /** The text. */
  text: string;
}

/** The link of a card. */
export interface CarouselCardLink {
  /** The label of the button. */
  display_text: string;
  /** The URL that the button opens. */
  url: string;
}

/** A reply button of a card. */
export interface CarouselCardButton {
  /** The type of the button, always `quick_reply`. */
  type: "quick_reply";
  /** The id and the title of the button. */
  quick_reply: {
    /** The id that is returned when the button is tapped. Each button has a different one. */
    id: string;
    /** The label of the button. Each button has a different one. */
    title: string;
  };
}

/**
 * The answer to an interactive message: a tapped button or row, a completed form, or a call
 * permission.
 */
export interface InteractiveChoice {
  /** The type of the answer. The field of the same name holds its content. More values may be added. */
  type: "button_reply" | "list_reply" | "flow_reply" | "call_permission_reply";
  /** For `button_reply`: the tapped button. */
  button_reply?: InteractiveSelection | null;
  /** For `list_reply`: the chosen row. */
  list_reply?: InteractiveSelection | null;
  /** For `flow_reply`: the completed form. */
  flow_reply?: FlowReply | null;
  /** For `call_permission_reply`: the permission. */
  call_permission_reply?: CallPermissionReply | null;
}

/** A tapped button or a chosen row. */
export interface InteractiveSelection {
  /** The id that the button or row was sent with. */
  id: string;
  /** The title of the button or row. */
  title: string;
  /** The description of the row. */
  description?: string | null;
}

/** A completed form. */
export interface FlowReply {
  /**
   * The kind of form, such as `flow` or `address_message`; null if the channel does not report
   * it.
   */
  name: string | null;
  /** The part of the answer that the contact sees. */
  body: string | null;
  /**
   * The decoded answer. For a flow, an object with its fields and its `flow_token`. A string if
   * the answer is not JSON.
   */
  response: unknown;
}

/** A contact's permission for the business to call them. */
export interface CallPermissionReply {
  /** Whether the business may call. */
  accepted: boolean;
  /** Whether the permission is valid until the contact revokes it. */
  permanent: boolean;
  /** When the permission expires; null if it does not expire or the channel does not report it. */
  expires_at: string | null;
  /**
   * Whether the permission was granted without a request, because the contact called the
   * business.
   */
  automatic: boolean;
}

/** A template and its parameters. */
export interface MessageTemplate {
  /** The name of the template. */
  name: string;
  /** The language of the template. */
  language: string;
  /** The parameters of the template. */
  components: Array<TemplateComponent>;
}

/** The parameters of one component of a template. */
export interface TemplateComponent {
  /** The type of component that the parameters are for. More values may be added. */
  type: "header" | "body" | "button" | "limited_time_offer" | "order_status" | "tap_target_configuration" | "carousel";
  /** For a button: the type of the button. More values may be added. */
  sub_type?: "quick_reply" | "url" | "copy_code" | "flow" | "catalog" | "mpm" | "spm" | "voice_call" | "video_call" | "order_details" | "payment_request" | "reminder" | "booking_status" | "phone_number" | "request_contact_info" | "app" | "postback" | null;
  /** For a button: its index, from `0` to `9`. A number is accepted too. Optional for `voice_call`. */
  index?: string | null;
  /** The values of the variables, in order. */
  parameters: Array<TemplateParameter>;
  /** For `carousel`: the parameters of each card. */
  cards?: Array<CardComponents> | null;
}

/** The value of one variable of a template. */
export interface TemplateParameter {
  /** The type of the parameter. The field of the same name holds its value. More values may be added. */
  type: "text" | "currency" | "date_time" | "image" | "video" | "gif" | "document" | "location" | "product" | "limited_time_offer" | "coupon_code" | "payload" | "ttl_minutes" | "action" | "order_status" | "tap_target_configuration";
  /** The name of the variable, if the template has named variables. */
  parameter_name?: string;
  /** The text, without line breaks, tabs or more than four spaces in a row, because the channel rejects them. */
  text?: string;
  /** The amount of money. */
  currency?: CurrencyParameter;
  /** The date and time. */
  date_time?: DateTimeParameter;
  /** The image. */
  image?: LinkedFile;
  /** The video. */
  video?: LinkedFile;
  /** The animation: an MP4 file of at most 3.5 MB. */
  gif?: LinkedFile;
  /** The document. */
  document?: LinkedFile;
  /** The location, for a header of format `LOCATION`. */
  location?: Location;
  /** The product, for a header of format `PRODUCT`. */
  product?: ProductParameter;
  /** The end of the offer. */
  limited_time_offer?: OfferExpiration;
  /** The code that the button copies. */
  coupon_code?: string;
  /** The payload that is returned when a quick reply button is tapped. */
  payload?: string;
  /** Number of minutes that a button that calls the business stays active. */
  ttl_minutes?: number;
  /** The action of a button that opens a flow, the catalog, products or an order. */
  action?: ButtonAction;
  /** The status of an order, in Meta's shape: `reference_id`, and `order` with `status` and `description`. */
  order_status?: { [key: string]: unknown };
  /** Titles that replace those of links. */
  tap_target_configuration?: Array<TapTarget>;
}

/** An amount of money. */
export interface CurrencyParameter {
  /** The text that is shown on devices that cannot format the amount. */
  fallback_value: string;
  /** The currency code (ISO 4217), such as `USD`. */
  code: string;
  /** The amount multiplied by 1000. */
  amount_1000: number;
}

/** A date and time. The channel shows `fallback_value`; it accepts the parts too. */
export interface DateTimeParameter {
  /** The text that is shown. */
  fallback_value: string;
  /** 1 for Monday to 7 for Sunday. English names of days are accepted too. */
  day_of_week?: number;
  /** The year. */
  year?: number;
  /** The month, starting at 1. */
  month?: number;
  /** The day of the month, starting at 1. */
  day_of_month?: number;
  /** The hour, starting at 0. */
  hour?: number;
  /** The minute, starting at 0. */
  minute?: number;
  /** The calendar, such as `GREGORIAN`. */
  calendar?: string;
  /** The date and time as seconds since 1970. */
  timestamp?: number;
}

/** A file at a URL. */
export interface LinkedFile {
  /** The URL of the file. */
  link: string;
  /** The file name that the recipient sees, for documents. For one of your uploads it defaults to the upload's name. */
  filename?: string;
}

/** A location. */
export interface Location {
  /** Degrees north. A numeric string is accepted too. */
  latitude: number;
  /** Degrees east. A numeric string is accepted too. */
  longitude: number;
  /** The name of the place. */
  name?: string;
  /** The address of the place. */
  address?: string;
}

/** A product in a catalog. */
export interface ProductParameter {
  /** The id of the catalog. */
  catalog_id: string;
  /** The id of the product in the catalog. */
  product_retailer_id: string;
}

/** The end of an offer. */
export interface OfferExpiration {
  /** The time at which the offer ends, as Unix time in milliseconds. */
  expiration_time_ms: number;
}

/** The action of a button that opens a flow, the catalog, products or an order. */
export interface ButtonAction {
  /** The id of the product whose image is shown above the message. */
  thumbnail_product_retailer_id?: string;
  /** The products: at most 30 in at most 10 sections. */
  sections?: Array<ProductSection>;
  /** Your own identifier for this use of a flow. */
  flow_token?: string;
  /** The data that the first screen of the flow receives. */
  flow_action_data?: { [key: string]: unknown };
  /** The order to be paid, in Meta's format, with your own `reference_id`. The other fields differ by country. */
  order_details?: { [key: string]: unknown };
}

/** A section of products. */
export interface ProductSection {
  /** The title of the section. */
  title?: string;
  /** The products in the section. */
  product_items: Array<ProductItem>;
}

/** A product. */
export interface ProductItem {
  /** The id of the product in the catalog. */
  product_retailer_id: string;
}

/** A title that replaces that of a link. */
export interface TapTarget {
  /** The URL of the link. */
  url: string;
  /** The title of the section. */
  title: string;
}

/** The parameters of one card of a carousel. */
export interface CardComponents {
  /** The index of the card, from 0 to 9. */
  card_index: number;
  /** The parameters of the card's components. */
  components: Array<TemplateComponent>;
}

/** The location of a message. */
export interface MessageLocation {
  /** The latitude in degrees. */
  latitude: number;
  /** The longitude in degrees. */
  longitude: number;
  /** The name of the place. */
  name?: string | null;
  /** The address of the place. */
  address?: string | null;
  /** The URL of the place's page, for a location that a contact sent. */
  url?: string | null;
}

/** A person or a business, as an address book holds it and history shows it. */
export interface MessageContactCard {
  /** The name. */
  name: MessageContactCardName;
  /** The phone numbers. */
  phones?: Array<MessageContactCardPhone> | null;
  /** The email addresses. */
  emails?: Array<MessageContactCardEmail> | null;
  /** The web addresses. */
  urls?: Array<MessageContactCardUrl> | null;
  /** The postal addresses. */
  addresses?: Array<MessageContactCardAddress> | null;
  /** The person's company and position. */
  org?: MessageContactCardOrganization | null;
  /** The birthday, such as `2012-08-18`. */
  birthday?: string | null;
}

/** The name on a contact card. */
export interface MessageContactCardName {
  /** The full name; empty if the sender's phone did not provide it. */
  formatted_name: string;
  /** The first name. */
  first_name?: string | null;
  /** The last name. */
  last_name?: string | null;
  /** The middle name. */
  middle_name?: string | null;
  /** A suffix, such as `Jr`. */
  suffix?: string | null;
  /** A prefix, such as `Dr`. */
  prefix?: string | null;
}

/** A phone number on a contact card. */
export interface MessageContactCardPhone {
  /** The number, as the card shows it. */
  phone?: string | null;
  /** `HOME`, `WORK` and the like. */
  type?: string | null;
  /** The channel's id of the person. */
  wa_id?: string | null;
}

/** An email address on a contact card. */
export interface MessageContactCardEmail {
  /** The email address. */
  email: string;
  /** `HOME`, `WORK` and the like. */
  type?: string | null;
}

/** A web address on a contact card. */
export interface MessageContactCardUrl {
  /** The URL. */
  url: string;
  /** `HOME`, `WORK` and the like. */
  type?: string | null;
}

/** A postal address on a contact card. */
export interface MessageContactCardAddress {
  /** The street and number. */
  street?: string | null;
  /** The city. */
  city?: string | null;
  /** The state. */
  state?: string | null;
  /** The ZIP code. */
  zip?: string | null;
  /** The country. */
  country?: string | null;
  /** The two-letter country code (ISO 3166). */
  country_code?: string | null;
  /** `HOME`, `WORK` and the like. */
  type?: string | null;
}

/** A person's company and position. */
export interface MessageContactCardOrganization {
  /** The company. */
  company?: string | null;
  /** The department. */
  department?: string | null;
  /** The job title. */
  title?: string | null;
}

/** An order that a contact placed from a catalog. */
export interface ReceivedOrder {
  /** The id of the catalog. */
  catalog_id: string;
  /** The text that the contact wrote with the order. */
  text: string | null;
  /** The ordered products. */
  product_items: Array<ReceivedOrderItem>;
}

/** An ordered product. */
export interface ReceivedOrderItem {
  /** The id of the product in the catalog. */
  product_retailer_id: string;
  /** The number of units. */
  quantity: number;
  /** The price of one unit. */
  item_price: number;
  /** The currency code (ISO 4217). */
  currency: string;
}

/** A message from a contact, of a type that this version does not support. */
export interface UnsupportedMessage {
  /** The channel's name for the type, such as `poll`. */
  type: string;
  /** The whole message, as the channel reported it. */
  payload: unknown;
}

/**
 * The ad or post that led a contact to the business, as the channel describes it. There may be
 * further fields.
 */
export interface Referral {
  /** The URL of the ad or post. */
  source_url?: string | null;
  /** The id of the ad or post. */
  source_id?: string | null;
  /** The type of the source: `ad` or `post`. */
  source_type?: string | null;
  /** The headline. */
  headline?: string | null;
  /** The text. */
  body?: string | null;
  /** The type of the media: `image` or `video`. */
  media_type?: string | null;
  /** The URL of the image. */
  image_url?: string | null;
  /** The URL of the video. */
  video_url?: string | null;
  /** The click id, for the channel's conversion reports. */
  ctwa_clid?: string | null;
}

/** A product in a catalog. */
export interface ReferredProduct {
  /** The id of the catalog. */
  catalog_id: string;
  /** The id of the product in the catalog. */
  product_retailer_id: string;
}

/** An earlier version of a message. */
export interface MessageVersion {
  /** The type of that version. More values may be added. */
  type: "text" | "media" | "interactive" | "template" | "location" | "contacts" | "reaction" | "channel" | "order" | "unsupported";
  /** The text, if the version was a text. */
  text: string | null;
  /** The file, if the version was a media message. */
  media: MessageMedia | null;
  /** When the version was written. */
  created_at: string;
}

/** The reason why a message failed. */
export interface MessageError {
  /** The error code. More values may be added. */
  code: "window_closed" | "recipient_unreachable" | "recipient_opted_out" | "channel_capped" | "channel_rate_limited" | "template_params_mismatch" | "template_not_found" | "template_paused" | "template_disabled" | "media_failed" | "account_locked" | "phone_number_required" | "agent_paused" | "template_not_approved" | "plan_limit_exceeded" | "contact_deleted" | "channel_error";
  /** The channel's error message. */
  message: string;
  /** The channel's error code; null if the channel was never reached. */
  channel_code: number | null;
}

/** A page of scheduled messages, in the order of their times. */
export interface ScheduledMessagePage {
  /** The scheduled messages. */
  data: Array<ScheduledMessage>;
  /** Whether there may be more entries after this page. */
  has_more: boolean;
  /** The value of `after` for the next page. If the list ends with this page, it is null. */
  next_after: string | null;
}

/** A message, or one that is sent later. */
export type FoundMessage = Message | ScheduledMessage;

/** A message that was marked as read. */
export interface ReadReceipt {
  /** The id of the message. */
  id: string;
  /** Always `read`. */
  status: "read";
  /** Whether the contact is shown a typing indicator. */
  typing: boolean;
}

/** The created template, and the parts of it that were not checked. */
export interface CreatedTemplate {
  /** The id of the template. */
  id: string;
  /** The name of the template. */
  name: string;
  /** The language of the template. */
  language: string;
  /** The category of the template. More values may be added. */
  category: "utility" | "marketing" | "authentication";
  /** The review status. More values may be added. */
  status: "draft" | "pending" | "approved" | "rejected" | "paused" | "disabled" | "archived" | "deleted";
  /** The reason for a rejection, as a code. More values may be added. */
  rejection_reason: "abusive_content" | "incorrect_category" | "invalid_format" | "promotional" | "scam" | "tag_content_mismatch" | null;
  /** The reason for a rejection, in the reviewer's words. */
  rejection_detail: string | null;
  /** The format of the variables. More values may be added. */
  parameter_format: "positional" | "named";
  /** The components of the template. */
  components: Array<TemplatePart>;
  /**
   * The time to live of a message with this template, in seconds; null for the channel's
   * default.
   */
  message_send_ttl_seconds?: number | null;
  /** The quality rating by the channel; null until the template is rated. More values may be added. */
  quality?: "unknown" | "green" | "yellow" | "red" | null;
  /** The id of the account that the template was created for. */
  account_id: string;
  /** The reviewer's id of the template. */
  external_id: string | null;
  /** When the template was submitted for review. */
  submitted_at: string | null;
  /** When the reviewer last changed the status. */
  reviewed_at: string | null;
  /** When the template was created. */
  created_at: string;
  /** When the template was last changed. */
  updated_at: string;
  /** Types and fields that were passed to the reviewer without a check, because this version does not know them. */
  warnings: Array<TemplateWarning>;
  /** What the reviewer is known to reject. It never refuses a template. */
  lint: Array<LintFinding>;
}

/** A component of a template. */
export interface TemplatePart {
  /**
   * The type of the component: `HEADER`, `BODY`, `FOOTER`, `BUTTONS`, `CAROUSEL` or
   * `LIMITED_TIME_OFFER`. A type that this version does not know is passed to the reviewer, with
   * a warning.
   */
  type: string;
  /**
   * For a header: the format, `TEXT`, `IMAGE`, `VIDEO`, `GIF`, `DOCUMENT`, `LOCATION` or
   * `PRODUCT`.
   */
  format?: string | null;
  /** The text with its variables: at most 1024 characters in a body, 60 in a header or a footer. */
  text?: string | null;
  /** Examples for the variables, for the reviewer. */
  example?: TemplateExample | null;
  /** The buttons, 1 to 10. */
  buttons?: Array<TemplateButton> | null;
  /**
   * For the body of a one-time code, which has no text of its own: whether to warn against
   * sharing the code.
   */
  add_security_recommendation?: boolean | null;
  /** For the footer of a one-time code: the number of minutes after which the code expires. */
  code_expiration_minutes?: number | null;
  /** For `LIMITED_TIME_OFFER`: the offer. */
  limited_time_offer?: LimitedTimeOffer | null;
  /** For `CAROUSEL`: 2 to 10 cards with the same components. */
  cards?: Array<TemplateCard> | null;
}

/** Examples for the variables of a component. */
export interface TemplateExample {
  /** The example for the variable of a header. */
  header_text?: Array<string> | null;
  /** The examples for the variables of a body, in order: a list that contains one list. */
  body_text?: Array<Array<string>> | null;
  /** For a header with a file: the channel's handle of a sample file. */
  header_handle?: Array<string> | null;
  /** The example for the named variable of a header. */
  header_text_named_params?: Array<NamedExample> | null;
  /** The examples for the named variables of a body. */
  body_text_named_params?: Array<NamedExample> | null;
}

/** An example for a named variable. */
export interface NamedExample {
  /** The name of the variable. */
  param_name: string | null;
  /** The example value. */
  example: string | null;
}

/** A button of a template. */
export interface TemplateButton {
  /**
   * The type of the button: `QUICK_REPLY`, `URL`, `PHONE_NUMBER`, `COPY_CODE`, `OTP`, `FLOW`,
   * `CATALOG`, `MPM`, `SPM`, `VOICE_CALL`, `CALL_PERMISSION_REQUEST` or `REQUEST_CONTACT_INFO`.
   * A type that this version does not know is passed to the reviewer, with a warning.
   */
  type: string;
  /** The label of the button. */
  text?: string;
  /** For `URL`: the URL that the button opens, which may end with `{{1}}`. */
  url?: string;
  /** For `PHONE_NUMBER`: the number that the button calls. */
  phone_number?: string;
  /**
   * For `URL` with a variable: a list with one complete URL. For `COPY_CODE`: a list with one
   * code.
   */
  example?: Array<string>;
  /** For `OTP`: the type, `COPY_CODE`, `ONE_TAP` or `ZERO_TAP`. */
  otp_type?: string;
  /** For `OTP`: the label of the button that fills in the code. */
  autofill_text?: string;
  /** For `OTP` with `ZERO_TAP`: `true`, to accept Meta's terms. */
  zero_tap_terms_accepted?: boolean;
  /** For `OTP` with `ONE_TAP` or `ZERO_TAP`: the apps that may fill in the code. */
  supported_apps?: Array<SupportedApp>;
  /** For `FLOW`: the id of the flow. Set one of `flow_id`, `flow_name` and `flow_json`. */
  flow_id?: string;
  /** For `FLOW`: the name of the flow. */
  flow_name?: string;
  /** For `FLOW`: the flow itself, as JSON in a string. */
  flow_json?: string;
  /** For `FLOW`: the action, `navigate` or `data_exchange`. */
  flow_action?: string;
  /** For `FLOW`: the first screen. */
  navigate_screen?: string;
}

/** An Android app. */
export interface SupportedApp {
  /** The package name of the app. */
  package_name: string;
  /** The hash of the app's signing key, 11 characters. */
  signature_hash: string;
}

/** A limited-time offer. */
export interface LimitedTimeOffer {
  /** The text of the offer. */
  text: string;
  /** Whether messages show when the offer ends. */
  has_expiration?: boolean;
}

/** A card of a carousel. */
export interface TemplateCard {
  /**
   * The components of the card: a HEADER with an image, a video or a product, a BODY except for
   * a product, and BUTTONS.
   */
  components: Array<TemplatePart>;
}

/** A part of a template that is passed to the reviewer without a check. */
export interface TemplateWarning {
  /** The field, such as `components[1].buttons[0].type`. */
  field: string;
  /** The reason why the field was not checked. More values may be added. */
  code: "unknown_type" | "unknown_field";
  /** A sentence that explains the warning. */
  message: string;
}

/** A template that was only validated. */
export interface CheckedTemplate {
  /** Always `true`. */
  valid: boolean;
  /** Types and fields that would be passed to the reviewer without a check, because this version does not know them. */
  warnings: Array<TemplateWarning>;
  /** What the reviewer is known to reject. */
  lint: Array<LintFinding>;
}

/**
 * The answer to a new template: the created template, or with `dry_run` one that was only
 * validated.
 */
export type CreateTemplateResult = CreatedTemplate | CheckedTemplate;

/** A page of templates, the newest first. */
export interface TemplatePage {
  /** The templates. */
  data: Array<Template>;
  /** The position of this page in the list. */
  pagination: Pagination;
}

/** A template. */
export interface Template {
  /** The id of the template. */
  id: string;
  /** The name of the template. */
  name: string;
  /** The language of the template. */
  language: string;
  /** The category of the template. More values may be added. */
  category: "utility" | "marketing" | "authentication";
  /** The review status. More values may be added. */
  status: "draft" | "pending" | "approved" | "rejected" | "paused" | "disabled" | "archived" | "deleted";
  /** The reason for a rejection, as a code. More values may be added. */
  rejection_reason: "abusive_content" | "incorrect_category" | "invalid_format" | "promotional" | "scam" | "tag_content_mismatch" | null;
  /** The reason for a rejection, in the reviewer's words. */
  rejection_detail: string | null;
  /** The format of the variables. More values may be added. */
  parameter_format: "positional" | "named";
  /** The components of the template. */
  components: Array<TemplatePart>;
  /**
   * The time to live of a message with this template, in seconds; null for the channel's
   * default.
   */
  message_send_ttl_seconds?: number | null;
  /** The quality rating by the channel; null until the template is rated. More values may be added. */
  quality?: "unknown" | "green" | "yellow" | "red" | null;
  /** The id of the account that the template was created for. */
  account_id: string;
  /** The reviewer's id of the template. */
  external_id: string | null;
  /** When the template was submitted for review. */
  submitted_at: string | null;
  /** When the reviewer last changed the status. */
  reviewed_at: string | null;
  /** When the template was created. */
  created_at: string;
  /** When the template was last changed. */
  updated_at: string;
}

/** The position of the page in the list, and how to get the next page. */
export interface Pagination {
  /** The `limit` of the request. */
  limit: number;
  /** Number of entries that were skipped. */
  offset: number;
  /** Total number of entries. */
  total: number;
  /** Whether there are more entries after this page. */
  has_more: boolean;
  /** The `offset` of the next page; null on the last page. */
  next_offset: number | null;
}

/** An uploaded file. */
export interface Media {
  /** The id of the file. */
  id: string;
  /** The public URL, to use as `media_url`. */
  url: string;
  /** The content type. More values may be added. */
  content_type: "image/jpeg" | "image/png" | "image/webp" | "audio/aac" | "audio/amr" | "audio/mpeg" | "audio/mp4" | "audio/ogg" | "video/mp4" | "video/3gpp" | "application/pdf" | "text/plain" | "text/csv" | "application/msword" | "application/vnd.ms-excel" | "application/vnd.ms-powerpoint" | "application/vnd.openxmlformats-officedocument.wordprocessingml.document" | "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" | "application/vnd.openxmlformats-officedocument.presentationml.presentation";
  /** The size in bytes. */
  size: number;
  /** The SHA-256 digest, in hex. */
  sha256: string;
  /** The file name. */
  filename: string;
  /** When the file was uploaded. */
  created_at: string;
}

/** A page of the history of a conversation. */
export interface HistoryPage {
  /** The messages. */
  data: Array<Message>;
  /** The position of this page in the history. */
  pagination: Pagination;
  /** The conversation; null unless exactly one was found. */
  conversation: Conversation | null;
}

/** A conversation. */
export interface Conversation {
  /** The id of the conversation. */
  id: string;
  /** Whether the AI agent replies in this conversation: `running` or `paused`. More values may be added. */
  ai_agent: "running" | "paused";
  /** When the customer service window of 24 hours closes; null if the contact has never written. */
  window_expires_at: string | null;
  /** The contact. */
  contact: Contact;
}

/** A contact: a person outside the organization, as one account knows them. */
export interface Contact {
  /** The id of the contact. */
  id: string;
  /** The id of the account (the business's number). */
  account_id: string;
  /** The phone number. Null until it is known: since 2026, people may show a username instead. */
  phone_number: string | null;
  /**
   * The channel's id of the contact, the same for all numbers of a business portfolio. Null
   * until it is known.
   */
  channel_user_id: string | null;
  /** The channel's id of the contact that linked portfolios share. Null until it is known. */
  channel_parent_user_id: string | null;
  /** The username. Null until it is known. */
  username: string | null;
  /** The name that the contact chose. Null until it is known. */
  name: string | null;
  /** When the contact opted out of marketing messages; null if they have not. */
  opted_out_at: string | null;
  /** When the contact was created. */
  created_at: string;
}

/** A page of contacts, newest first. */
export interface ContactPage {
  /** The contacts. */
  data: Array<ListedContact>;
  /** Whether there may be more entries after this page. */
  has_more: boolean;
  /** The value of `after` for the next page. If the list ends with this page, it is null. */
  next_after: string | null;
}

/** A contact with the time of the last message, as lists show it. */
export interface ListedContact {
  /** The id of the contact. */
  id: string;
  /** The id of the account (the business's number). */
  account_id: string;
  /** The phone number. Null until it is known: since 2026, people may show a username instead. */
  phone_number: string | null;
  /**
   * The channel's id of the contact, the same for all numbers of a business portfolio. Null
   * until it is known.
   */
  channel_user_id: string | null;
  /** The channel's id of the contact that linked portfolios share. Null until it is known. */
  channel_parent_user_id: string | null;
  /** The username. Null until it is known. */
  username: string | null;
  /** The name that the contact chose. Null until it is known. */
  name: string | null;
  /** When the contact opted out of marketing messages; null if they have not. */
  opted_out_at: string | null;
  /** When the contact was created. */
  created_at: string;
  /** The conversation with the contact. */
  conversation_id: string;
  /** The time at which the last message was accepted or received. */
  last_message_at: string;
  /** When the contact was deleted; null if it was not. */
  deleted_at: string | null;
}

/** A contact that was deleted. */
export interface DeletedContact {
  /** The id of the contact. */
  id: string;
  /** The id of the conversation with the contact. */
  conversation_id: string;
  /** Always true. */
  deleted: boolean;
}

/** A page of conversations, those with the newest messages first. */
export interface ConversationPage {
  /** The conversations. */
  data: Array<Conversation2>;
  /** Whether there may be more entries after this page. */
  has_more: boolean;
  /** The value of `after` for the next page. If the list ends with this page, it is null. */
  next_after: string | null;
}

/** A conversation: all messages between one of your numbers and one contact. */
export interface Conversation2 {
  /** The id of the conversation. */
  id: string;
  /** The id of the account (the business's number). */
  account_id: string;
  /** The id of the contact. */
  contact_id: string;
  /** The contact's phone number; null until it is known. */
  phone_number: string | null;
  /** The name that the contact chose; null until it is known. */
  name: string | null;
  /** The status in the inbox. A message from the contact opens the conversation. More values may be added. */
  status: "open" | "waiting" | "snoozed" | "closed";
  /** When a snoozed conversation opens; null if it is not snoozed. */
  snoozed_until: string | null;
  /** The id of the member who answers; null if there is none. */
  assignee_id: string | null;
  /** The labels, in alphabetical order. */
  labels: Array<string>;
  /** Since when a person of your organization has to answer; null if nobody has to. */
  needs_person_since: string | null;
  /** Whether the AI agent answers: `running` or `paused`. More values may be added. */
  ai_agent: "running" | "paused";
  /** The AI agent in this conversation. */
  agent: ConversationAgent;
  /**
   * The end of the customer service window; null if the contact never wrote. Until then you can
   * send free-form messages.
   */
  window_closes_at: string | null;
  /** When the last message was accepted or received. */
  last_message_at: string;
  /** Number of messages. */
  message_count: number;
  /** When the conversation began. */
  created_at: string;
}

/** The AI agent in a conversation. */
export interface ConversationAgent {
  /** Whether the agent answers. More values may be added. */
  state: "running" | "paused";
  /** Why the agent is paused; null while it is running. More values may be added. */
  cause: "member" | "api" | "phone" | "handed_over" | "limit" | "loop" | "opted_out" | "channel" | null;
  /** The reason that was given with the pause; null if none was. */
  reason: string | null;
  /** The id of the member who paused the agent; null if no member did. */
  by: string | null;
  /** Since when the agent is paused; null while it is running. */
  since: string | null;
  /** When the agent answers again by itself; null if it does not. */
  until: string | null;
}

/** A page of notes, newest first. */
export interface NotePage {
  /** The notes. */
  data: Array<Note>;
  /** Whether there may be more entries after this page. */
  has_more: boolean;
  /** The value of `after` for the next page. If the list ends with this page, it is null. */
  next_after: string | null;
}

/** A note about a conversation. Notes are never sent. */
export interface Note {
  /** The id of the note. */
  id: string;
  /** The id of the conversation. */
  conversation_id: string;
  /** The text. */
  text: string;
  /** The author of the note. */
  author: NoteAuthor;
  /** When the note was written. */
  created_at: string;
}

/** The author of a note. */
export interface NoteAuthor {
  /** Whether a member, a program, an AI agent or the channel's own agent wrote the note. More values may be added. */
  type: "member" | "key" | "agent" | "channel";
  /** The id of the member or agent, or the client id of the key; null for the channel's own agent. */
  id: string | null;
  /** The name of the member, the key or the agent. */
  name: string;
}

/** The results of the questions. */
export interface AgentTest {
  /** Whether all questions passed. */
  passed: boolean;
  /** The results, in the order of the questions. */
  questions: Array<AgentTestQuestion>;
}

/** The result of one question. */
export interface AgentTestQuestion {
  /** What the customer writes. */
  question: string;
  /** Whether the answer has what it must have, and nothing that it must not have. */
  passed: boolean;
  /** The text of the answer. Null if the agent said nothing. */
  answer: string | null;
  /** Whether the agent handed the conversation over. */
  handed_over: boolean;
  /** What is wrong, in words. */
  problems: Array<string>;
  /** How long the answer took, in milliseconds. */
  took_ms: number;
}

/** A page of events, in the order of their sequence. */
export interface EventPage {
  /** The events. */
  data: Array<Event>;
  /** Whether there may be more entries after this page. */
  has_more: boolean;
  /** The value of `after` for the next page. If the list ends with this page, it is null. */
  next_after: number;
  /** An older form of `has_more` and `next_after`. */
  pagination: CursorPagination;
  /** With `resends_after`: the newest requests to get events again, in order; at most 100. */
  resends?: Array<Resend> | null;
}

/** An event. `type` decides what `data` contains. */
export type Event = MessageReceivedEvent | MessageQueuedEvent | MessageSentEvent | MessageDeliveredEvent | MessageReadEvent | MessageFailedEvent | MessageEditedEvent | MessageDeletedEvent | MessageTranscribedEvent | MessageCanceledEvent | TemplateSubmittedEvent | TemplateApprovedEvent | TemplateRejectedEvent | TemplatePausedEvent | TemplateDisabledEvent | TemplateArchivedEvent | TemplateDeletedEvent | TemplateUpdatedEvent | AccountUpdatedEvent | ConversationCreatedEvent | ConversationAgentPausedEvent | ConversationAgentResumedEvent | ConversationUpdatedEvent | ConversationWindowClosingEvent | NoteCreatedEvent | ConversationHandoverRequestedEvent | AgentTurnFinishedEvent | ContactCreatedEvent | ContactUpdatedEvent | ContactOptedOutEvent | ContactOptedInEvent | ContactMergedEvent | ContactDeletedEvent | ConnectionCreatedEvent | ConnectionDisconnectedEvent | PlanLimitReachedEvent | KeyExpiringEvent | EndpointFailingEvent | EndpointDisabledEvent | EndpointRecoveredEvent | WebhookTestEvent;

/** A person wrote to one of your numbers. */
export interface MessageReceivedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "message.received";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Message;
}

/** A message was accepted and waits for the channel. */
export interface MessageQueuedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "message.queued";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Message;
}

/** The channel took a message. */
export interface MessageSentEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "message.sent";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Message;
}

/** A message reached the person's device. */
export interface MessageDeliveredEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "message.delivered";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Message;
}

/** The person read a message. */
export interface MessageReadEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "message.read";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Message;
}

/** A message will not arrive, and its error says why. */
export interface MessageFailedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "message.failed";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Message;
}

/** A message was edited; previous_versions holds what it said. */
export interface MessageEditedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "message.edited";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Message;
}

/** A message was deleted; what it said is kept here. */
export interface MessageDeletedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "message.deleted";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Message;
}

/** A person's voice message was transcribed; transcript holds its words. */
export interface MessageTranscribedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "message.transcribed";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Message;
}

/** A scheduled message was canceled before its time. */
export interface MessageCanceledEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "message.canceled";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: ScheduledMessage;
}

/** A template was handed to the reviewer, for the first time or after a change. */
export interface TemplateSubmittedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "template.submitted";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Template;
}

/** The reviewer approved a template: it can be sent. */
export interface TemplateApprovedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "template.approved";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Template;
}

/** The reviewer rejected a template, and said why. */
export interface TemplateRejectedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "template.rejected";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Template;
}

/** The channel paused a template: it cannot be sent for now. */
export interface TemplatePausedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "template.paused";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Template;
}

/** The channel disabled a template: it cannot be sent. */
export interface TemplateDisabledEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "template.disabled";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Template;
}

/** The channel archived a template: it cannot be sent. */
export interface TemplateArchivedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "template.archived";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Template;
}

/** A template was deleted, here or at the channel: it cannot be sent. */
export interface TemplateDeletedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "template.deleted";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Template;
}

/** A change that the channel made to a template. */
export interface TemplateChangeData {
  /** The id of the template. */
  id: string;
  /** The account that the template was created for. */
  account_id: string;
  /** The name of the template. */
  name: string;
  /** The language of the template. */
  language: string;
  /** The part of the template that was changed. More values may be added. */
  change: "quality" | "category" | "components";
  /** The previous value: a keyword, or the components. Null if it was not known. */
  previous: unknown;
  /** The value after the change. */
  current: unknown;
}

/** The channel changed a template: its category, its components, or its quality rating. */
export interface TemplateUpdatedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "template.updated";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: TemplateChangeData;
}

/** An account: a number of the business that is connected to a channel. */
export interface AccountData {
  /** The id of the account. */
  id: string;
  /** The phone number. */
  phone_number: string;
  /** The name that recipients see. */
  display_name: string;
  /** The channel behind the account. More values may be added. */
  channel: "sandbox" | "cloud_api" | "twilio";
  /** Whether the account can send messages. */
  health: AccountHealth;
}

/** The ability of an account to send messages. */
export interface AccountHealth {
  /**
   * The state: `ok`; `held` while the channel refuses the account and its messages wait; or
   * `restricted`. More values may be added.
   */
  state: "ok" | "held" | "restricted";
  /** The reason for `held` or `restricted`. More values may be added. */
  reason: "token_refused" | "permission_missing" | "policy_violation" | "country_restricted" | "account_locked" | "payment_required" | "not_registered" | "name_not_approved" | "disconnected" | "account_disabled" | "account_restricted" | "alert" | null;
  /** The channel's explanation. */
  message: string | null;
  /** When the account entered this state; null if it has always been in it. */
  since: string | null;
  /**
   * The quality rating of the account's messages by the channel; null until the channel reports
   * one. More values may be added.
   */
  quality: "ok" | "low" | null;
  /**
   * The number of contacts that the account may write to first in 24 hours, as the channel's
   * name for the tier, such as `TIER_1K`; null until the channel reports it.
   */
  limit: string | null;
  /**
   * The number of messages per second that the account sends since the channel slowed it down;
   * null if it is not slowed down.
   */
  pace: number | null;
}

/** A number was held, restricted or released, or its quality rating or limit changed. */
export interface AccountUpdatedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "account.updated";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: AccountData;
}

/** A conversation. */
export interface ConversationData {
  /** The id of the conversation. */
  id: string;
  /** The id of the account (the business's number). */
  account_id: string;
  /** The id of the contact. */
  contact_id: string;
  /** The contact's phone number; null until it is known. */
  phone_number: string | null;
  /** The channel's id of the contact; null until it is known. */
  channel_user_id: string | null;
  /** Whether the AI agent replies from this event on: `running` or `paused`. More values may be added. */
  ai_agent: "running" | "paused";
  /** The AI agent from this event on. The cause of a pause is null in an event of an earlier version. */
  agent: ConversationAgent;
  /** When the conversation was created. */
  created_at: string;
}

/** A conversation began, from either side. */
export interface ConversationCreatedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "conversation.created";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: ConversationData;
}

/** The AI agent stopped answering in a conversation. */
export interface ConversationAgentPausedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "conversation.agent_paused";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: ConversationData;
}

/** The AI agent answers in a conversation again. */
export interface ConversationAgentResumedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "conversation.agent_resumed";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: ConversationData;
}

/** A conversation and the change of its status, assignee or labels. */
export interface ConversationUpdateData {
  /** The id of the conversation. */
  id: string;
  /** The id of the account (the business's number). */
  account_id: string;
  /** The id of the contact. */
  contact_id: string;
  /** The status in the inbox. More values may be added. */
  status: "open" | "waiting" | "snoozed" | "closed";
  /** When a snoozed conversation opens; null if it is not snoozed. */
  snoozed_until: string | null;
  /** The id of the member who answers; null if there is none. */
  assignee_id: string | null;
  /** The labels, in alphabetical order. */
  labels: Array<string>;
  /** Since when a person of your organization has to answer; null if nobody has to. */
  needs_person_since: string | null;
  /** The AI agent in this conversation after the change; omitted in an event of an earlier version. */
  agent?: ConversationAgent | null;
  /** The fields that changed, with their values before and after. */
  changes: ConversationChanges;
}

/** Changes of a conversation. Fields that did not change are omitted. */
export interface ConversationChanges {
  /** The value of a field before and after a change. */
  status?: {
    /** The value before. More values may be added. */
    previous: "open" | "waiting" | "snoozed" | "closed";
    /** The value after. More values may be added. */
    current: "open" | "waiting" | "snoozed" | "closed";
  } | null;
  /** The value of a field before and after a change. */
  snoozed_until?: {
    /** The value before. */
    previous: string | null;
    /** The value after. */
    current: string | null;
  } | null;
  /** The value of a field before and after a change. */
  assignee_id?: {
    /** The value before. */
    previous: string | null;
    /** The value after. */
    current: string | null;
  } | null;
  /** The value of a field before and after a change. */
  labels?: {
    /** The value before. */
    previous: Array<string>;
    /** The value after. */
    current: Array<string>;
  } | null;
  /** The value of a field before and after a change. */
  needs_person_since?: {
    /** The value before. */
    previous: string | null;
    /** The value after. */
    current: string | null;
  } | null;
}

/** The status, the assignee or the labels of a conversation changed; changes holds the values before and after. */
export interface ConversationUpdatedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "conversation.updated";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: ConversationUpdateData;
}

/** A conversation whose customer service window is about to close. */
export interface ClosingWindow {
  /** The id of the conversation. */
  id: string;
  /** The id of the account (the business's number). */
  account_id: string;
  /** The id of the contact. */
  contact_id: string;
  /** The contact's phone number; null until it is known. */
  phone_number: string | null;
  /** The channel's id of the contact; null until it is known. */
  channel_user_id: string | null;
  /** When the customer service window closes. */
  window_closes_at: string;
}

/** The customer service window closes in an hour, and the person's last message has no answer. */
export interface ConversationWindowClosingEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "conversation.window_closing";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: ClosingWindow;
}

/** A member, a program or an AI agent wrote a note about a conversation. */
export interface NoteCreatedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "note.created";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Note;
}

/** An AI agent's call for a person. */
export interface HandoverRequest {
  /** The id of the conversation. */
  conversation_id: string;
  /** The id of the agent; null if no agent is set up on the number. */
  agent_id: string | null;
  /** The id of the turn in which the agent asked; null if it asked over the API. */
  turn_id: string | null;
  /** Why a person is needed. */
  reason: string;
  /** What the person needs to know. */
  summary: string | null;
}

/** The AI agent asked for a person to take a conversation over, and said why. */
export interface ConversationHandoverRequestedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "conversation.handover_requested";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: HandoverRequest;
}

/** A turn of an AI agent that ended. */
export interface Turn {
  /** The id of the turn. */
  id: string;
  /** The id of the agent. */
  agent_id: string;
  /** The id of the conversation. */
  conversation_id: string;
  /** How the turn ended. More values may be added. */
  state: "waiting" | "asking" | "answered" | "drafted" | "superseded" | "handed_over" | "silent" | "failed" | "skipped";
  /** Why there is no answer; null if there is one. */
  reason: string | null;
  /** The ids of the messages that were sent. */
  message_ids: Array<string>;
  /** The number of tokens that a model used; null if that is unknown. */
  tokens: number | null;
  /** How long the agent took to answer, in milliseconds; null if it was not asked. */
  duration_ms: number | null;
}

/** An AI agent answered, or did not; state and reason say how it ended. */
export interface AgentTurnFinishedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "agent.turn_finished";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Turn;
}

/** A contact was created. */
export interface ContactCreatedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "contact.created";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Contact;
}

/** A contact whose details changed. */
export interface ContactUpdateData {
  /** The id of the contact. */
  id: string;
  /** The id of the account (the business's number). */
  account_id: string;
  /** The phone number. Null until it is known: since 2026, people may show a username instead. */
  phone_number: string | null;
  /**
   * The channel's id of the contact, the same for all numbers of a business portfolio. Null
   * until it is known.
   */
  channel_user_id: string | null;
  /** The channel's id of the contact that linked portfolios share. Null until it is known. */
  channel_parent_user_id: string | null;
  /** The username. Null until it is known. */
  username: string | null;
  /** The name that the contact chose. Null until it is known. */
  name: string | null;
  /** When the contact opted out of marketing messages; null if they have not. */
  opted_out_at: string | null;
  /** When the contact was created. */
  created_at: string;
  /** The previous values of the fields that changed. */
  previous: PreviousContact;
}

/** The previous values of a contact. Fields that did not change are omitted. */
export interface PreviousContact {
  /** The previous phone number; null if it was not known. */
  phone_number?: string | null;
  /** The previous channel id of the contact; null if it was not known. */
  channel_user_id?: string | null;
  /** The previous id that linked portfolios share; null if it was not known. */
  channel_parent_user_id?: string | null;
  /** The previous username; null if it was not known. */
  username?: string | null;
  /** The previous name; null if it was not known. */
  name?: string | null;
  /** When the contact had opted out of marketing messages; null if they had not. */
  opted_out_at?: string | null;
}

/** A contact has another phone number, user id, username or name; previous holds what it was before. */
export interface ContactUpdatedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "contact.updated";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: ContactUpdateData;
}

/** A person wants no marketing: templates of that category to them are refused. */
export interface ContactOptedOutEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "contact.opted_out";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Contact;
}

/** A person who had opted out of marketing wants it again. */
export interface ContactOptedInEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "contact.opted_in";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: Contact;
}

/**
 * Two contacts that were merged because they are the same person. The ids of both contacts and of
 * both conversations remain valid.
 */
export interface ContactMergeData {
  /** The id of the contact that remains. */
  contact_id: string;
  /** The id of the contact that was merged into it. */
  merged_contact_id: string;
  /** The id of the conversation that remains. */
  conversation_id: string;
  /** The id of the conversation that was merged into it. */
  merged_conversation_id: string;
}

/** Two contacts turned out to be one person: the messages of one joined the conversation of the other. */
export interface ContactMergedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "contact.merged";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: ContactMergeData;
}

/** A contact that was deleted. Both ids remain valid. */
export interface ContactDeletionData {
  /** The id of the contact. */
  contact_id: string;
  /** The id of the conversation with the contact. */
  conversation_id: string;
}

/** A contact was deleted: texts, files, names and numbers of this person are gone within a minute. */
export interface ContactDeletedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "contact.deleted";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: ContactDeletionData;
}

/** A connection of an application. */
export interface ConnectionData {
  /** The id of the connection. */
  id: string;
  /** The application. */
  application: ApplicationData;
  /** The client id of the connection's key. */
  client_id: string;
  /** The account that the connection is bound to; null if it is not bound. */
  account_id: string | null;
  /** The permissions (scopes) that the connection was granted. */
  scopes: Array<"messages.send" | "templates.read" | "templates.write" | "conversations.read" | "conversations.write" | "contacts.delete" | "agent.reply" | "media.write" | "webhooks.manage">;
  /** When the connection was created. */
  connected_at: string;
  /** When the connection ended; omitted if it has not. */
  disconnected_at?: string | null;
  /** Who or what ended the connection; omitted if it has not ended. More values may be added. */
  reason?: "business" | "application" | "superseded" | "revoked" | null;
}

/** The application of a connection. */
export interface ApplicationData {
  /** The client id of the application. */
  client_id: string;
  /** The name of the application. */
  name: string;
}

/** An application was connected through Connect. */
export interface ConnectionCreatedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "connection.created";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: ConnectionData;
}

/** A connection ended. The reason is business, application, superseded or revoked. */
export interface ConnectionDisconnectedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "connection.disconnected";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: ConnectionData;
}

/** A limit of the plan. */
export interface LimitData {
  /** The limited resource: API requests per day, or messages per month. More values may be added. */
  resource: "api_calls" | "messages" | "connection_messages";
  /** The limit. */
  limit: number | null;
  /** The amount that has been used. */
  used: number;
  /** When the usage is reset. */
  resets_at: string;
}

/** A limit of the plan was reached: calls or messages are refused. */
export interface PlanLimitReachedEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "plan.limit_reached";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: LimitData;
}

/** The key of a connection that ends soon. */
export interface KeyExpiryData {
  /** The id of the key. */
  id: string;
  /** The client id of the key. */
  client_id: string;
  /** The name of the key, which is that of the application. */
  name: string;
  /** The id of the connection that the key belongs to. */
  connection_id: string;
  /** When the key ends. Calls with it are refused from then on. */
  expires_at: string;
}

/** The key of a connection ends in seven days, at the date that the business set. */
export interface KeyExpiringEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "key.expiring";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: KeyExpiryData;
}

/** A webhook endpoint whose health changed. */
export interface EndpointHealthData {
  /** The id of the endpoint. */
  id: string;
  /** The URL that events are posted to. */
  url: string;
  /** The purpose of the endpoint; null if none was given. */
  description: string | null;
  /** Whether the endpoint gets events. More values may be added. */
  state: "enabled" | "disabled";
  /** Why the endpoint is disabled; null if it is not. More values may be added. */
  disabled_reason: "by_member" | "gone" | "failing" | null;
  /** When the endpoint was disabled; null if it is not. */
  disabled_at: string | null;
  /** Since when every attempt has failed; null if the last one succeeded. */
  failing_since: string | null;
}

/** Every attempt to deliver events to a webhook endpoint has failed for a minute. The endpoint itself does not receive this event. */
export interface EndpointFailingEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "endpoint.failing";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: EndpointHealthData;
}

/** A webhook endpoint was disabled: by a member, because it answered 410, or after five days of failures. The endpoint itself does not receive this event. */
export interface EndpointDisabledEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "endpoint.disabled";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: EndpointHealthData;
}

/** A webhook endpoint that failed or was disabled accepts events again. */
export interface EndpointRecoveredEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "endpoint.recovered";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: EndpointHealthData;
}

/** The webhook endpoint that is tested. */
export interface EndpointData {
  /** The id of the endpoint. */
  endpoint_id: string;
  /** A sentence that explains the event. */
  message: string;
}

/** Sent from the dashboard to test an endpoint. */
export interface WebhookTestEvent {
  /** The id of the event, the same in every delivery. */
  id: string;
  /** The kind of event. */
  type: "webhook.test";
  /** When the event was recorded. */
  timestamp: string;
  /** The organization that the event belongs to. */
  organization_id: string;
  /** The account that the event concerns; null if it concerns none or several. */
  account_id: string | null;
  /** The connection that the event concerns, or through which an application receives it; omitted otherwise. */
  connection_id?: string;
  /** The position of the event among the organization's events, from 1 and without gaps. */
  sequence: number;
  data: EndpointData;
}

/**
 * An older form of `has_more` and `next_after`, with the `limit` and the `after` of the request. It
 * stays for clients that read it.
 *
 * There is no `offset`, because entries are added and the oldest are deleted while you read: an
 * offset would skip some entries and repeat others. There is no `total`, because it would need a
 * count of all entries.
 */
export interface CursorPagination {
  /** The `limit` of the request. */
  limit: number;
  /** The `after` of the request. */
  after: number;
  /** Whether there are more entries after this page. */
  has_more: boolean;
  /** The value of `after` for the next request. */
  next_after: number;
}

/**
 * Events that somebody asked to get again, by resending a delivery of an endpoint or replaying a
 * period. They can be read again by their sequences.
 */
export interface Resend {
  /** The number of the request, to pass as `resends_after`. */
  number: number;
  /** The sequence of the first event. */
  first_sequence: number;
  /** The sequence of the last event. */
  last_sequence: number;
}

/** A message that the simulated customer wrote. */
export interface SandboxInboundMessage {
  /** The id that the message has in history and in `message.received`, within a second. */
  id: string;
  /** Always `received`. */
  status: "received";
  /** The id of the account (the business's number) that the customer writes to. */
  account_id: string;
  /** The customer's phone number. */
  phone_number: string;
}

/** A page of webhook endpoints, the oldest first. */
export interface WebhookEndpointPage {
  /** The endpoints. */
  data: Array<WebhookEndpoint>;
  /** Whether there may be more entries after this page. */
  has_more: boolean;
  /** The value of `after` for the next page. If the list ends with this page, it is null. */
  next_after: string | null;
}

/** A webhook endpoint. */
export interface WebhookEndpoint {
  /** The id of the endpoint. */
  id: string;
  /** The URL that events are posted to. */
  url: string;
  /** The purpose of the endpoint; null if none was given. */
  description: string | null;
  /**
   * The types of events that the endpoint gets; `["*"]` for all, including types that are added
   * later.
   */
  events: Array<string>;
  /** Whether the endpoint gets events. More values may be added. */
  state: "enabled" | "disabled";
  /** Why the endpoint is disabled; null if it is not. More values may be added. */
  disabled_reason: "by_member" | "gone" | "failing" | null;
  /** When the endpoint was disabled; null if it is not. */
  disabled_at: string | null;
  /** Since when every attempt has failed; null if the last one succeeded. */
  failing_since: string | null;
  /** When the endpoint was created. */
  created_at: string;
}

/** A webhook endpoint with its secret, which is shown only here. */
export interface WebhookEndpointWithSecret {
  /** The id of the endpoint. */
  id: string;
  /** The URL that events are posted to. */
  url: string;
  /** The purpose of the endpoint; null if none was given. */
  description: string | null;
  /**
   * The types of events that the endpoint gets; `["*"]` for all, including types that are added
   * later.
   */
  events: Array<string>;
  /** Whether the endpoint gets events. More values may be added. */
  state: "enabled" | "disabled";
  /** Why the endpoint is disabled; null if it is not. More values may be added. */
  disabled_reason: "by_member" | "gone" | "failing" | null;
  /** When the endpoint was disabled; null if it is not. */
  disabled_at: string | null;
  /** Since when every attempt has failed; null if the last one succeeded. */
  failing_since: string | null;
  /** When the endpoint was created. */
  created_at: string;
  /** The secret that signs the requests (Standard Webhooks). It is shown only here. */
  secret: string;
}

/** An event on its way to a webhook endpoint. */
export interface WebhookDelivery {
  /** The id of the delivery. */
  id: string;
  /** The id of the event. */
  event_id: string;
  /** The type of the event. More values may be added. */
  type: "message.received" | "message.queued" | "message.sent" | "message.delivered" | "message.read" | "message.failed" | "message.edited" | "message.deleted" | "message.transcribed" | "message.canceled" | "template.submitted" | "template.approved" | "template.rejected" | "template.paused" | "template.disabled" | "template.archived" | "template.deleted" | "template.updated" | "account.updated" | "conversation.created" | "conversation.agent_paused" | "conversation.agent_resumed" | "conversation.updated" | "conversation.window_closing" | "note.created" | "conversation.handover_requested" | "agent.turn_finished" | "contact.created" | "contact.updated" | "contact.opted_out" | "contact.opted_in" | "contact.merged" | "contact.deleted" | "connection.created" | "connection.disconnected" | "plan.limit_reached" | "key.expiring" | "endpoint.failing" | "endpoint.disabled" | "endpoint.recovered" | "webhook.test";
  /** The result so far. More values may be added. */
  status: "pending" | "retrying" | "failed" | "succeeded";
  /** Number of attempts so far. */
  attempts: number;
  /** The HTTP status of the last answer; null if there was none. */
  last_status: number | null;
  /** Why the last attempt got no answer, in words; null if it got one, or if there was no attempt. */
  last_error: string | null;
  /** When the next attempt is due; null if there is none. */
  next_attempt_at: string | null;
  /** When the delivery was created. */
  created_at: string;
  /** When the delivery succeeded or failed for good; null until then. */
  completed_at: string | null;
}

/** A page of deliveries, newest first. */
export interface WebhookDeliveryPage {
  /** The deliveries. */
  data: Array<WebhookDelivery>;
  /** Whether there may be more entries after this page. */
  has_more: boolean;
  /** The value of `after` for the next page. If the list ends with this page, it is null. */
  next_after: string | null;
}

/** A replay that has begun. */
export interface Replay {
  /** The number of events in the period. Those that the endpoint selects are delivered again. */
  events: number;
}

/** A webhook endpoint that was deleted. */
export interface DeletedWebhookEndpoint {
  /** The id of the endpoint. */
  id: string;
  /** Always true. */
  deleted: boolean;
}

/** A page of accounts, in the order in which they were connected. */
export interface AccountPage {
  /** The accounts. */
  data: Array<Account>;
  /** Whether there may be more entries after this page. */
  has_more: boolean;
  /** The value of `after` for the next page. If the list ends with this page, it is null. */
  next_after: string | null;
}

/** An account: a number of the business that is connected to a channel. */
export interface Account {
  /** The id of the account. */
  id: string;
  /** The phone number. */
  phone_number: string;
  /** The name that recipients see. */
  display_name: string;
  /** The channel behind the account. More values may be added. */
  channel: "sandbox" | "cloud_api" | "twilio";
  /** Whether keys that are not bound to an account send from this one. */
  default: boolean;
  /** Whether the account can send messages. */
  health: AccountHealth;
}

/** The current key. */
export interface Me {
  /** The key that authenticated the request. */
  key: CurrentKey;
  /** The organization that the key belongs to. */
  organization: CurrentOrganization;
  /** The account that the key sends from; null if the organization has none. */
  account: CurrentAccount | null;
  /** The organization's plan and its usage. */
  plan: CurrentPlan;
  /** The application; null unless the key was created by Connect. */
  application: CurrentApplication | null;
  /** The connection; null unless the key was created by Connect. */
  connection: CurrentConnection | null;
}

/** A key. */
export interface CurrentKey {
  /** The id of the key. */
  id: string;
  /** The name of the key. */
  name: string;
  /** The client id of the key. */
  client_id: string;
  /** How the key was created: `manual` by a member, `connection` by Connect. More values may be added. */
  type: "manual" | "connection";
  /** The permissions (scopes) that the key was granted. */
  scopes: Array<"messages.send" | "templates.read" | "templates.write" | "conversations.read" | "conversations.write" | "contacts.delete" | "agent.reply" | "media.write" | "webhooks.manage">;
  /** The rate limit in requests per minute; 0 means unlimited. */
  rate_limit: number;
  /** When the key was created. */
  created_at: string;
  /** When the key was last used, which is the time of this request. */
  last_used_at: string | null;
}

/** An organization. */
export interface CurrentOrganization {
  /** The id of the organization. */
  id: string;
  /** The name of the organization. */
  name: string;
}

/** An account: a number of the business that is connected to a channel. */
export interface CurrentAccount {
  /** The id of the account. */
  id: string;
  /** The phone number. */
  phone_number: string;
  /** The name that recipients see. */
  display_name: string;
  /** Whether the account is `bound` to the key, or the organization's `default`. More values may be added. */
  binding: "bound" | "default";
  /** Whether the account can send messages. */
  health: AccountHealth;
}

/** A plan and its usage. */
export interface CurrentPlan {
  /** The name of the plan; null without a plan. */
  name: string | null;
  /** The status of the subscription. More values may be added. */
  status: "active" | "past_due" | "canceled" | "none";
  /** The usage of API requests per day. */
  api_calls: Usage;
  /** The usage of messages per month. */
  messages: Usage;
}

/** The usage of a limit. */
export interface Usage {
  /** The limit; null means unlimited. */
  limit: number | null;
  /** The amount that has been used. */
  used: number;
  /** When the usage is reset. */
  resets_at: string;
}

/** An application. */
export interface CurrentApplication {
  /** The client id of the application. */
  client_id: string;
  /** The name of the application. */
  name: string;
}

/** A connection. */
export interface CurrentConnection {
  /** The id of the connection. */
  id: string;
  /** When the connection was created. */
  connected_at: string;
  /** When the key ends, as the business decided; null if it has no end. */
  expires_at: string | null;
  /**
   * The messages that the business allows this connection per month. They are counted only if
   * there is a limit.
   */
  messages: Usage;
}

/** A connection that has ended. */
export interface Disconnected {
  /** Always `disconnected`. */
  status: "disconnected";
  /** The client id, which is no longer valid. */
  client_id: string;
  /** When the connection ended. */
  disconnected_at: string;
}

/** The connections that were revoked. */
export interface RevokedConnections {
  /** The number of connections. */
  revoked: number;
  /** Whether this was a dry run, which changes nothing. */
  dry_run: boolean;
}

/** A message to send. */
export interface SendMessage {
  /** The kind of message. */
  type: "text" | "media" | "interactive" | "template" | "location" | "contacts" | "reaction" | "channel";
  /**
   * The recipient's phone number; a new one creates a contact and a conversation. Set exactly
   * one of `phone_number`, `channel_user_id`, `contact_id` and `conversation_id`.
   */
  phone_number?: string;
  /**
   * The channel's user id of the recipient, for recipients whose phone number may not be known
   * (since 2026); a new one creates a contact and a conversation.
   */
  channel_user_id?: string;
  /** The id of the contact to send to. */
  contact_id?: string;
  /** The id of the conversation to send to. */
  conversation_id?: string;
  /** The text. Required for `text`. */
  text?: string;
  /** Whether to show a preview of the first link. For `text`. */
  preview_url?: boolean;
  /** The URL of the file, such as the one that an upload returned. Required for `media`. */
  media_url?: string;
  /** The kind of file. For `media`; required if the URL does not end with a known file extension. */
  media_type?: "image" | "video" | "audio" | "document" | "sticker";
  /** The caption below the file. For `media`, except audio and stickers. */
  caption?: string;
  /** The file name that the recipient sees, for documents. For one of your uploads it defaults to the upload's name. */
  filename?: string;
  /** Whether to show audio as a voice message. For `media` with audio. */
  voice?: boolean;
  /** The buttons, list, link or other interactive content. Required for `interactive`. */
  interactive?: Interactive;
  /** The template's name. Required for `template`. */
  template_name?: string;
  /** The template's language, such as `en` or `en_US`. Required for `template`. */
  language?: string;
  /** The template's parameters. For `template`. */
  components?: Array<TemplateComponentInput>;
  /** The location. Required for `location`. */
  location?: Location;
  /** The contact cards. Required for `contacts`. */
  contacts?: Array<ContactCard>;
  /** The emoji, and the message to react to. Required for `reaction`. */
  reaction?: Reaction;
  /**
   * The message in the channel's own format, without the recipient, the context and the tracking
   * fields. Required for `channel`.
   */
  channel?: {
    type: string;
  };
  /** The id of the message to reply to, in the same conversation. */
  reply_to?: string;
  /** Your own reference for the message; it is included in history and events. */
  client_ref?: string;
  /** Your own key-value pairs. */
  metadata?: { [key: string]: string };
  /**
   * Who writes the message, if it is not a person: `agent` for your AI agent. Requires the scope
   * `agent.reply` instead of `messages.send`.
   */
  as?: "agent";
  /**
   * The id of the message that the AI agent answers. With `as`; the answer is refused if the
   * contact has written again.
   */
  after_message_id?: string;
  /** `paused` to pause the AI agent with this message, so that people answer what comes back. */
  agent?: "paused";
  /** When to send the message, at most 30 days ahead. Until then its status is `scheduled`, and it can be canceled. */
  send_at?: string;
  /** The template to send instead if the customer service window is closed. For free-form messages. */
  fallback_template?: FallbackTemplate;
  /** Whether to only validate the request: nothing is sent, stored or counted as a message. */
  dry_run?: boolean;
}

/** The parameters of one component of a template. */
export interface TemplateComponentInput {
  /** The type of component that the parameters are for. */
  type: "header" | "body" | "button" | "limited_time_offer" | "order_status" | "tap_target_configuration" | "carousel";
  /** For a button: the type of the button. */
  sub_type?: "quick_reply" | "url" | "copy_code" | "flow" | "catalog" | "mpm" | "spm" | "voice_call" | "video_call" | "order_details" | "payment_request" | "reminder" | "booking_status" | "phone_number" | "request_contact_info" | "app" | "postback";
  /** For a button: its index, from `0` to `9`. A number is accepted too. Optional for `voice_call`. */
  index?: string;
  /** The values of the variables, in order. */
  parameters?: Array<TemplateParameter>;
  /** For `carousel`: the parameters of each card. */
  cards?: Array<CardComponentsInput>;
}

/** The parameters of one card of a carousel. */
export interface CardComponentsInput {
  /** The index of the card, from 0 to 9. */
  card_index: number;
  /** The parameters of the card's components. */
  components: Array<TemplateComponentInput>;
}

/** A contact card: a person or a business, as in an address book. */
export interface ContactCard {
  /** The name. */
  name: {
    /** The full name. */
    formatted_name: string;
    /** The first name. */
    first_name?: string;
    /** The last name. */
    last_name?: string;
    /** The middle name. */
    middle_name?: string;
    /** The suffix, such as `Jr`. */
    suffix?: string;
    /** The prefix, such as `Dr`. */
    prefix?: string;
  };
  /** The phone numbers. */
  phones?: Array<ContactCardPhone>;
  /** The email addresses. */
  emails?: Array<ContactCardEmail>;
  /** The web addresses. */
  urls?: Array<ContactCardUrl>;
  /** The postal addresses. */
  addresses?: Array<ContactCardAddress>;
  /** The organization that the person works for. */
  org?: ContactCardOrganization;
  /** The date of birth, such as `2012-08-18`. */
  birthday?: string;
}

/** A phone number. */
export interface ContactCardPhone {
  /** The phone number, in any format. Required if there is no `wa_id`. */
  phone?: string;
  /** The type, such as `HOME` or `WORK`. */
  type?: string;
  /** The channel's id of the person. With it, the card offers to send them a message. */
  wa_id?: string;
}

/** An email address. */
export interface ContactCardEmail {
  /** The email address. */
  email: string;
  /** The type, such as `HOME` or `WORK`. */
  type?: string;
}

/** A web address. */
export interface ContactCardUrl {
  /** The URL. */
  url: string;
  /** The type, such as `HOME` or `WORK`. */
  type?: string;
}

/** A postal address. */
export interface ContactCardAddress {
  /** The street and house number. */
  street?: string;
  /** The city. */
  city?: string;
  /** The state. */
  state?: string;
  /** The ZIP code. */
  zip?: string;
  /** The country. */
  country?: string;
  /** The two-letter country code (ISO 3166). */
  country_code?: string;
  /** The type, such as `HOME` or `WORK`. */
  type?: string;
}

/** The organization that a person works for. */
export interface ContactCardOrganization {
  /** The company. */
  company?: string;
  /** The department. */
  department?: string;
  /** The job title. */
  title?: string;
}

/** A reaction: an emoji on a message of the same conversation. */
export interface Reaction {
  /** The id of the message to react to, which either side may have written. */
  message_id: string;
  /** One emoji. An empty string removes an earlier reaction. */
  emoji: string;
}

/** A template that is sent if a free-form message cannot be. */
export interface FallbackTemplate {
  /** The template's name. */
  template_name: string;
  /** The template's language, such as `en` or `en_US`. */
  language: string;
  /** The template's parameters. */
  components?: Array<TemplateComponentInput>;
}

/** A template to send. */
export interface SendTemplate {
  /** The recipient's phone number; a new one creates a contact and a conversation. */
  to: string;
  /** The template's name. */
  template_name: string;
  /** The template's language, such as `en` or `en_US`. */
  language: string;
  /** The template's parameters. */
  components?: Array<TemplateComponentInput>;
  /** The id of the message to reply to, in the same conversation. */
  reply_to?: string;
  /** Your own reference for the message; it is included in history and events. */
  client_ref?: string;
  /** Your own key-value pairs. */
  metadata?: { [key: string]: string };
  /** `paused` to pause the AI agent with this message, so that people answer what comes back. */
  agent?: "paused";
  /** When to send the message, at most 30 days ahead. Until then its status is `scheduled`, and it can be canceled. */
  send_at?: string;
  /** Whether to only validate the request: nothing is sent, stored or counted as a message. */
  dry_run?: boolean;
}

/** Messages to send together. */
export interface SendBatch {
  /** The messages, each as for sending one message. `as` is not allowed. */
  messages: Array<SendMessage>;
}

/** Options of a read receipt. */
export interface ReadMessage {
  /**
   * Whether to show the contact a typing indicator, for up to 25 seconds or until your answer
   * arrives.
   */
  typing?: boolean;
}

/** A template to create. */
export interface CreateTemplate {
  /**
   * The name, of the characters `a-z`, `0-9` and `_`. The name and the language together
   * identify the template.
   */
  name: string;
  /** The language, such as `en` or `en_US`. */
  language: string;
  /** The category. */
  category: "utility" | "marketing" | "authentication";
  /**
   * The format of the variables: `positional` for `{{1}}`, which is the default, or `named` for
   * `{{first_name}}`.
   */
  parameter_format?: "positional" | "named";
  /** The components: one BODY, and at most one of each other type. */
  components: Array<TemplatePartInput>;
  /**
   * The time to live of a message with this template, in seconds: 30 to 900 for
   * `authentication`, 30 to 43200 for `utility`, 43200 to 2592000 for `marketing`. For the first
   * two, -1 is allowed too and means 30 days.
   */
  message_send_ttl_seconds?: number;
  /** Whether to only validate the template: nothing is stored or submitted. */
  dry_run?: boolean;
}

/** A component of a template. */
export interface TemplatePartInput {
  /**
   * The type of the component: `HEADER`, `BODY`, `FOOTER`, `BUTTONS`, `CAROUSEL` or
   * `LIMITED_TIME_OFFER`. A type that this version does not know is passed to the reviewer, with
   * a warning.
   */
  type: string;
  /**
   * For a header: the format, `TEXT`, `IMAGE`, `VIDEO`, `GIF`, `DOCUMENT`, `LOCATION` or
   * `PRODUCT`.
   */
  format?: string;
  /** The text with its variables: at most 1024 characters in a body, 60 in a header or a footer. */
  text?: string;
  /** Examples for the variables, for the reviewer. */
  example?: TemplateExampleInput;
  /** The buttons, 1 to 10. */
  buttons?: Array<TemplateButton>;
  /**
   * For the body of a one-time code, which has no text of its own: whether to warn against
   * sharing the code.
   */
  add_security_recommendation?: boolean;
  /** For the footer of a one-time code: the number of minutes after which the code expires. */
  code_expiration_minutes?: number;
  /** For `LIMITED_TIME_OFFER`: the offer. */
  limited_time_offer?: LimitedTimeOffer;
  /** For `CAROUSEL`: 2 to 10 cards with the same components. */
  cards?: Array<TemplateCardInput>;
}

/** Examples for the variables of a component. */
export interface TemplateExampleInput {
  /** The example for the variable of a header. */
  header_text?: Array<string>;
  /** The examples for the variables of a body, in order: a list that contains one list. */
  body_text?: Array<Array<string>>;
  /** For a header with a file: the channel's handle of a sample file. */
  header_handle?: Array<string>;
  /** The example for the named variable of a header. */
  header_text_named_params?: Array<NamedExampleInput>;
  /** The examples for the named variables of a body. */
  body_text_named_params?: Array<NamedExampleInput>;
}

/** An example for a named variable. */
export interface NamedExampleInput {
  /** The name of the variable. */
  param_name?: string;
  /** The example value. */
  example?: string;
}

/** A card of a carousel. */
export interface TemplateCardInput {
  /**
   * The components of the card: a HEADER with an image, a video or a product, a BODY except for
   * a product, and BUTTONS.
   */
  components: Array<TemplatePartInput>;
}

/** The fields to change, at least one. Fields that are omitted stay as they are. */
export interface UpdateTemplate {
  /** The category. */
  category?: "utility" | "marketing" | "authentication";
  /** The components, which replace all that the template has. */
  components?: Array<TemplatePartInput>;
}

/** A file to upload. */
export interface UploadMedia {
  /** The file in canonical base64, or as a `data:` URI of the same type. */
  data: string;
  /** The content type, which must match the content of the file. */
  content_type: "image/jpeg" | "image/png" | "image/webp" | "audio/aac" | "audio/amr" | "audio/mpeg" | "audio/mp4" | "audio/ogg" | "video/mp4" | "video/3gpp" | "application/pdf" | "text/plain" | "text/csv" | "application/msword" | "application/vnd.ms-excel" | "application/vnd.ms-powerpoint" | "application/vnd.openxmlformats-officedocument.wordprocessingml.document" | "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" | "application/vnd.openxmlformats-officedocument.presentationml.presentation";
  /** The file name. Derived from the content type if omitted. */
  filename?: string;
}

/** The conversation whose history to return, and the page. */
export interface History {
  /**
   * The contact's phone number. Set exactly one of `phone_number`, `channel_user_id`,
   * `contact_id` and `conversation_id`.
   */
  phone_number?: string;
  /**
   * The channel's id of the contact, for contacts whose phone number may not be known (since
   * 2026).
   */
  channel_user_id?: string;
  /** The id of the contact. */
  contact_id?: string;
  /** The id of the conversation. */
  conversation_id?: string;
  /** Maximum number of entries to return. */
  limit?: number;
  /** Number of entries to skip. */
  offset?: number;
  /** `desc` returns the newest messages first, `asc` the oldest. */
  order?: "asc" | "desc";
}

/** The fields to change. Fields that are omitted stay as they are. */
export interface UpdateContact {
  /** The name. Null for the name that the contact has on the channel, from their next message on. */
  name?: string | null;
}

/** The fields to change. Fields that are omitted stay as they are. */
export interface UpdateConversation {
  /** The status. */
  status?: "open" | "waiting" | "snoozed" | "closed";
  /** When the conversation opens again, at most 365 days ahead. Required with the status `snoozed`. */
  snoozed_until?: string;
  /** The id of the member to assign the conversation to; null for nobody. */
  assignee_id?: string | null;
  /** The labels, which replace all present labels. A label has 1 to 50 characters. */
  labels?: Array<string>;
}

/** Why, and until when, the agent is paused. */
export interface PauseAgent {
  /** The reason, for your colleagues. */
  reason?: string;
  /**
   * When the pause ends by itself, at most 365 days ahead. Without it the pause lasts until somebody
   * resumes the agent.
   */
  until?: string;
}

/** Why people have to take a conversation over. */
export interface HandOver {
  /** Why a person is needed. */
  reason?: string;
  /** What the person needs to know. */
  summary?: string;
}

/** A note. */
export interface CreateNote {
  /** The text. */
  text: string;
  /**
   * Who writes the note: `agent` for your AI agent. Requires the scope `agent.reply` instead of
   * `conversations.write`.
   */
  as?: "agent";
}

/** What the customer does. Set exactly one of `text`, `media_url` and `button`. */
export interface SandboxInbound {
  /** The customer's phone number; a new one creates a contact and a conversation. */
  phone_number: string;
  /** The text that the customer writes. */
  text?: string;
  /** The URL of the file that the customer sends: one that an upload returned, or a public https URL. */
  media_url?: string;
  /** The kind of file. With `media_url`; required if the URL does not end with a known file extension. */
  media_type?: "image" | "video" | "audio" | "document" | "sticker";
  /** The caption below the file. With `media_url`, except for audio and stickers. */
  caption?: string;
  /** The name of the document. With `media_url`. */
  filename?: string;
  /** Whether the audio is a voice message. With `media_url`. */
  voice?: boolean;
  /** The button or row that the customer taps. */
  button?: TappedButton;
}

/** A button or a row of a message that was sent. */
export interface TappedButton {
  /** The id of the interactive message. */
  message_id: string;
  /** The id of the button or the row. */
  id: string;
}

/** A webhook endpoint. */
export interface CreateWebhookEndpoint {
  /** The URL that events are posted to. */
  url: string;
  /** The purpose of the endpoint, for your colleagues. */
  description?: string;
  /** The types of events to send; `["*"]`, which is the default, for all. */
  events?: Array<string>;
}

/** The fields to change. Fields that are omitted stay as they are. */
export interface UpdateWebhookEndpoint {
  /** The URL that events are posted to. */
  url?: string;
  /** The purpose of the endpoint; an empty text removes it. */
  description?: string;
  /** The types of events to send; `["*"]` for all. */
  events?: Array<string>;
  /**
   * Whether the endpoint receives events. Events that occur while it is disabled are delivered once
   * it is enabled, as long as they are kept.
   */
  state?: "enabled" | "disabled";
}

/** The period. */
export interface ReplayEvents {
  /** Replay the events from this time on. */
  since: string;
  /** Replay the events before this time; now, if omitted. */
  until?: string;
}

/** The reason, and whether to only count the connections. */
export interface RevokeConnections {
  /** The reason, which is shown to the businesses. */
  reason?: string;
  /** Whether to only count the connections, without revoking them. */
  dry_run?: boolean;
}

/** An error. An error with further fields has a schema of its own. */
export interface Error {
  /** A human-readable message. */
  error: string;
  /** A machine-readable error code. More values may be added. */
  code: "invalid_json" | "bad_request" | "invalid_credentials" | "invalid_signature" | "key_is_bound" | "not_found" | "method_not_allowed" | "invalid_verify_token" | "idempotency_in_progress" | "template_exists" | "agent_paused" | "turn_answered" | "not_cancelable" | "too_many_endpoints" | "not_a_connection" | "turn_expired" | "unsupported_media_type" | "range_not_satisfiable" | "phone_number_required" | "recipient_opted_out" | "invalid_base64" | "content_type_mismatch" | "idempotency_key_reused" | "no_messaging_account" | "too_many_exports" | "internal_error" | "unavailable";
  /** The request id; quote it when you contact support. Also in `X-Request-Id`. */
  request_id: string;
}

/** The organization has no active subscription. */
export interface SubscriptionRequiredError {
  /** A human-readable message. */
  error: string;
  /** A machine-readable error code. */
  code: "subscription_required";
  /** The request id; quote it when you contact support. Also in `X-Request-Id`. */
  request_id: string;
  /** The missing part: `subscription` or `api_access`. */
  resource: "subscription";
  /** The page on which the organization changes its plan. */
  upgrade_url: string;
}

/** The organization's plan does not include API access. */
export interface PlanUpgradeRequiredError {
  /** A human-readable message. */
  error: string;
  /** A machine-readable error code. */
  code: "plan_upgrade_required";
  /** The request id; quote it when you contact support. Also in `X-Request-Id`. */
  request_id: string;
  /** The missing part: `subscription` or `api_access`. */
  resource: "api_access";
  /** The page on which the organization changes its plan. */
  upgrade_url: string;
}

/** A limit of the plan is reached. */
export interface PlanLimitExceededError {
  /** A human-readable message. */
  error: string;
  /** A machine-readable error code. */
  code: "plan_limit_exceeded";
  /** The request id; quote it when you contact support. Also in `X-Request-Id`. */
  request_id: string;
  /** The limit that was reached: API requests per day, or messages per month. More values may be added. */
  resource: "api_calls" | "messages" | "connection_messages";
  /** The page on which the organization changes its plan. */
  upgrade_url: string;
  /** The limit. */
  limit: number;
  /** The number of requests or messages used. */
  used: number;
  /** The time at which the limit resets. */
  resets_at: string;
}

/** The key does not have the scope that the endpoint requires. */
export interface InsufficientScopeError {
  /** A human-readable message. */
  error: string;
  /** A machine-readable error code. */
  code: "insufficient_scope";
  /** The request id; quote it when you contact support. Also in `X-Request-Id`. */
  request_id: string;
  /** The scope that the endpoint requires. More values may be added. */
  required_scope: "messages.send" | "templates.read" | "templates.write" | "conversations.read" | "conversations.write" | "contacts.delete" | "agent.reply" | "media.write" | "webhooks.manage";
  /** The scopes that the key has. */
  granted_scopes: Array<"messages.send" | "templates.read" | "templates.write" | "conversations.read" | "conversations.write" | "contacts.delete" | "agent.reply" | "media.write" | "webhooks.manage">;
}

/** The template cannot be changed or deleted now, or the reviewer refused it. */
export interface TemplateLockedError {
  /** A human-readable message. */
  error: string;
  /** A machine-readable error code. */
  code: "template_locked";
  /** The request id; quote it when you contact support. Also in `X-Request-Id`. */
  request_id: string;
  /** The template's status. More values may be added. */
  template_status: "draft" | "pending" | "approved" | "rejected" | "paused" | "disabled" | "archived" | "deleted";
  /** What the reviewer said, if the reviewer refused. */
  reviewer_message: string | null;
}

/** The contact has written again, so the AI agent's answer was not sent. */
export interface SupersededError {
  /** A human-readable message. */
  error: string;
  /** A machine-readable error code. */
  code: "superseded";
  /** The request id; quote it when you contact support. Also in `X-Request-Id`. */
  request_id: string;
  /** The id of the contact's newest message. */
  newest_message_id: string;
}

/** The body is larger than allowed. */
export interface PayloadTooLargeError {
  /** A human-readable message. */
  error: string;
  /** A machine-readable error code. */
  code: "payload_too_large";
  /** The request id; quote it when you contact support. Also in `X-Request-Id`. */
  request_id: string;
  /** The maximum number of bytes. */
  limit_bytes: number;
}

/** The file is larger than the limit for its type. */
export interface MediaTooLargeError {
  /** A human-readable message. */
  error: string;
  /** A machine-readable error code. */
  code: "media_too_large";
  /** The request id; quote it when you contact support. Also in `X-Request-Id`. */
  request_id: string;
  /** The maximum number of bytes. */
  limit_bytes: number;
}

/** Fields are missing, unknown or out of bounds; `details` lists every error. */
export interface ValidationFailedError {
  /** A human-readable message. */
  error: string;
  /** A machine-readable error code. */
  code: "validation_failed";
  /** The request id; quote it when you contact support. Also in `X-Request-Id`. */
  request_id: string;
  /** All errors. */
  details: Array<{
    /**
     * The path of the field, such as `interactive.action.buttons[0].reply.title`; empty for the
     * request as a whole.
     */
    field: string;
    /** A machine-readable error code. More values may be added. */
    code: "required" | "unknown_field" | "wrong_type" | "empty" | "too_long" | "out_of_range" | "not_one_of" | "invalid_format" | "duplicate" | "not_allowed";
    /** The text of the error, such as `must not be empty`. */
    message: string;
  }>;
}

/** The template is not approved, so nothing was sent. */
export interface TemplateNotApprovedError {
  /** A human-readable message. */
  error: string;
  /** A machine-readable error code. */
  code: "template_not_approved";
  /** The request id; quote it when you contact support. Also in `X-Request-Id`. */
  request_id: string;
  /** The template's status. More values may be added. */
  template_status: "draft" | "pending" | "approved" | "rejected" | "paused" | "disabled" | "archived" | "deleted";
  /** The reason for the rejection, if the template was rejected. More values may be added. */
  rejection_reason: "abusive_content" | "incorrect_category" | "invalid_format" | "promotional" | "scam" | "tag_content_mismatch" | null;
}

/** The parameters do not match the template. */
export interface TemplateParamsMismatchError {
  /** A human-readable message. */
  error: string;
  /** A machine-readable error code. */
  code: "template_params_mismatch";
  /** The request id; quote it when you contact support. Also in `X-Request-Id`. */
  request_id: string;
  /** The number of parameters that the template has. */
  expected: number;
  /** The number of parameters in the request. */
  received: number;
}

/** The channel behind the number cannot do this; nothing was sent or stored. */
export interface NotSupportedByChannelError {
  /** A human-readable message. */
  error: string;
  /** A machine-readable error code. */
  code: "not_supported_by_channel";
  /** The request id; quote it when you contact support. Also in `X-Request-Id`. */
  request_id: string;
  /** The channel behind the number. More values may be added. */
  channel: "sandbox" | "cloud_api" | "twilio";
  /** The feature that the channel does not support. */
  unsupported: string;
  /** The supported alternatives; may be empty. */
  supported: Array<string>;
}

/** The key has reached its limit of requests in the last 60 seconds. */
export interface RateLimitedError {
  /** A human-readable message. */
  error: string;
  /** A machine-readable error code. */
  code: "rate_limited";
  /** The request id; quote it when you contact support. Also in `X-Request-Id`. */
  request_id: string;
  /** The number of requests that are admitted in the window. */
  limit: number;
  /** The length of the window in seconds. */
  window_seconds: number;
  /** The number of seconds until the next request is admitted. */
  retry_after: number;
}

/** The request body of an exchange. */
export interface TokenRequest {
  /** `authorization_code`, if present. */
  grant_type?: "authorization_code";
  /** The code from the redirect. Valid once, for 60 seconds. */
  code: string;
  /** The verifier of the challenge in the authorize request: 43 to 128 unreserved characters. */
  code_verifier: string;
  /** The application's client id. Required without HTTP Basic. */
  client_id?: string;
  /** The application's secret. Required without HTTP Basic, refused with it. */
  client_secret?: string;
  /** The redirect URI, which must be the one of the authorize request. */
  redirect_uri?: string;
}

/** The connection that was created. */
export interface Connection {
  /** The connection's own client id, for the header `x-client-id`. */
  client_id: string;
  /** The connection's secret, for the header `x-client-secret`. Shown only here. */
  client_secret: string;
  /** The connection's id. */
  connection_id: string;
  /** The business. */
  organization: {
    /** The organization's id. */
    id: string;
    /** The organization's name. */
    name: string;
  };
  /** The number that the business chose; null if it has none. */
  account: {
    /** The account's id. */
    id: string;
    /** The account's phone number. */
    phone_number: string;
    /** The display name that contacts see. */
    display_name: string;
  } | null;
  /** The scopes that the business granted. */
  scopes: Array<"messages.send" | "templates.read" | "templates.write" | "conversations.read" | "conversations.write" | "contacts.delete" | "agent.reply" | "media.write" | "webhooks.manage">;
  /** The granted scopes separated by spaces, for OAuth clients. */
  scope: string;
  /** The plan of the business. */
  plan: {
    /** The name of the plan; null without a plan. */
    name: string | null;
    /** The status of the subscription. More values may be added. */
    status: "active" | "past_due" | "canceled" | "none";
    /**
     * Whether the plan includes API access. If not, every request returns 403 until the business
     * changes its plan.
     */
    api_access: boolean;
  };
  /** When the connection was created. */
  connected_at: string;
  /** The client id and the secret with a dot between, for `Authorization: Bearer`. It does not expire. */
  access_token: string;
  /** The type of the access token (RFC 6749 section 7.1). */
  token_type: "Bearer";
}

/** A failed exchange. */
export interface ExchangeError {
  /** The value of `code`, under the name that OAuth clients read. More values may be added. */
  error: "invalid_request" | "invalid_grant";
  /** A machine-readable error code. More values may be added. */
  code: "invalid_request" | "invalid_grant";
  /** A human-readable message. It does not say which check failed. */
  error_description: string;
  /** The request id; quote it when you contact support. */
  request_id: string;
}

/** The parameters of `listMessages`. */
export interface ListMessagesQuery {
  /** Return only the messages that were sent with this `client_ref`. */
  client_ref?: string;
  /** Return only messages with this status. */
  status?: "queued" | "sent" | "delivered" | "read" | "failed" | "received";
  /** Return only messages of this direction. */
  direction?: "outbound" | "inbound";
  /** Return only messages of this conversation. */
  conversation_id?: string;
  /** Return only messages that were accepted or received at this time or later. */
  since?: string;
  /** Return only messages that were accepted or received before this time. */
  until?: string;
  /** Return the messages after the one with this id. */
  after?: string;
  /** Maximum number of entries to return. */
  limit?: number;
}

/** The parameters of `listScheduledMessages`. */
export interface ListScheduledMessagesQuery {
  /** The cursor of the page: `next_after` of the page before. */
  after?: string;
  /** Maximum number of entries to return. */
  limit?: number;
}

/** The parameters of `listTemplates`. */
export interface ListTemplatesQuery {
  /** Return only templates with this status. */
  status?: "draft" | "pending" | "approved" | "rejected" | "paused" | "disabled" | "archived" | "deleted";
  /** Return only templates of this category. */
  category?: "utility" | "marketing" | "authentication";
  /** Return only templates in this language. */
  language?: string;
  /** Return only templates with this name. */
  name?: string;
  /** Maximum number of entries to return. */
  limit?: number;
  /** Number of entries to skip. */
  offset?: number;
}

/** The parameters of `getHistory`. */
export interface GetHistoryQuery {
  /**
   * The contact's phone number. Set exactly one of `phone_number`, `channel_user_id`,
   * `contact_id` and `conversation_id`.
   */
  phone_number?: string;
  /**
   * The channel's id of the contact, for contacts whose phone number may not be known (since
   * 2026).
   */
  channel_user_id?: string;
  /** The id of the contact. */
  contact_id?: string;
  /** The id of the conversation. */
  conversation_id?: string;
  /** Maximum number of entries to return. */
  limit?: number;
  /** Number of entries to skip. */
  offset?: number;
  /** `desc` returns the newest messages first, `asc` the oldest. */
  order?: "asc" | "desc";
}

/** The parameters of `listContacts`. */
export interface ListContactsQuery {
  /** Return only the contacts that this phone number leads to: one for each of your numbers that knows the person. */
  phone_number?: string;
  /** `true` for contacts who opted out of marketing, `false` for the others. */
  opted_out?: boolean;
  /** Return the contacts after the one with this id. */
  after?: string;
  /** Maximum number of entries to return. */
  limit?: number;
}

/** The parameters of `listConversations`. */
export interface ListConversationsQuery {
  /** Return only conversations with this status. */
  status?: "open" | "waiting" | "snoozed" | "closed";
  /** Return only conversations that are assigned to this member; `none` for those without an assignee. */
  assignee_id?: string;
  /** Return only conversations with this label. */
  label?: string;
  /** Return only conversations in which the AI agent is `running` or `paused`. */
  agent?: "running" | "paused";
  /** `true` for conversations in which a person has to answer, `false` for the others. */
  needs_person?: boolean;
  /** Return only conversations whose newest message is from this time or later. */
  since?: string;
  /** The cursor of the page: `next_after` of the page before. */
  after?: string;
  /** Maximum number of entries to return. */
  limit?: number;
}

/** The parameters of `listNotes`. */
export interface ListNotesQuery {
  /** Return the notes after the one with this id. */
  after?: string;
  /** Maximum number of entries to return. */
  limit?: number;
}

/** The parameters of `listEvents`. */
export interface ListEventsQuery {
  /** Return events after this `sequence`. Events are kept for 30 days. */
  after?: number;
  /** Maximum number of entries to return. */
  limit?: number;
  /**
   * Return only events of these types, separated by commas, such as
   * `message.received,message.failed`.
   */
  type?: string;
  /**
   * Also return `resends`: which events somebody asked to get again since the request with this
   * `number`; 0 for all that are known.
   */
  resends_after?: number;
}

/** The parameters of `listWebhookEndpoints`. */
export interface ListWebhookEndpointsQuery {
  /** Return the endpoints after the one with this id. */
  after?: string;
  /** Maximum number of entries to return. */
  limit?: number;
}

/** The parameters of `listWebhookDeliveries`. */
export interface ListWebhookDeliveriesQuery {
  /** Return only deliveries with this status. */
  status?: "pending" | "retrying" | "failed" | "succeeded";
  /** Return the deliveries after the one with this id. */
  after?: string;
  /** Maximum number of entries to return. */
  limit?: number;
}

/** The parameters of `listAccounts`. */
export interface ListAccountsQuery {
  /** Return the accounts after the one with this id. */
  after?: string;
  /** Maximum number of entries to return. */
  limit?: number;
}
