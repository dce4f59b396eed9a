# Generated from the OpenAPI document by `cargo xtask docs`. Do not edit.
"""The JSON of the API, as dictionaries with known keys."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Union, final


@final
class AcceptedMessage(TypedDict):
    """An accepted message."""
    id: str
    """The id of the message."""
    status: Literal["queued"]
    """Always `queued`."""
    direction: Literal["outbound"]
    """Always `outbound`."""
    type: Literal["text", "media", "interactive", "template", "location", "contacts", "reaction", "channel"]
    """The type of the message. More values may be added."""
    conversation_id: str
    """The id of the conversation, which is created if the recipient is new."""
    contact_id: str
    """The id of the contact."""
    contact: NotRequired[MessageContact | None]
    """The contact as known when the message was accepted. Omitted in a stored answer of an earlier version."""
    account_id: str
    """The id of the account (the business's number) that the message is sent from."""
    phone_number: str | None
    """The phone number that the message is sent to, in the form that the channel uses if that is known; null if the number is not known and the message is sent to the user id (since 2026)."""
    channel_user_id: NotRequired[str | None]
    """The channel's user id that the message is sent to; omitted if it is sent to the phone
    number.
    """
    channel_message_id: str | None
    """The channel's id of the message; null until the channel has accepted it."""
    client_ref: str | None
    """The `client_ref` of the request."""
    warnings: list[Literal["window_closed", "fallback_used"]]
    """Warnings: `window_closed` if the customer service window of 24 hours is closed, `fallback_used` if the fallback template is sent because of that."""
    created_at: str
    """When the message was accepted."""


@final
class MessageContact(TypedDict):
    """The contact that a message was exchanged with."""
    id: str
    """The id of the contact."""
    phone_number: str | None
    """The phone number, in the form that the channel uses. Null until it is known."""
    channel_user_id: str | None
    """The channel's user id of the contact. Null until it is known."""
    username: str | None
    """The username. Null until it is known."""
    name: str | None
    """The name that the contact chose. Null until it is known."""


@final
class ScheduledMessage(TypedDict):
    """A message that is sent later, or that was canceled."""
    id: str
    """The id of the message, which it keeps when it is sent."""
    status: Literal["scheduled", "canceled"]
    """`scheduled` until the message is sent, `canceled` if it was canceled before. More values may be added."""
    type: Literal["text", "media", "interactive", "template", "location", "contacts", "reaction", "channel", "order", "unsupported"]
    """The type of the message. More values may be added."""
    account_id: str
    """The id of the account (the business's number) that the message is sent from."""
    phone_number: str | None
    """The recipient's phone number; null if the request named the recipient otherwise."""
    channel_user_id: str | None
    """The recipient's user id; null if the request named the recipient otherwise."""
    contact_id: str | None
    """The id of the recipient's contact; null if the request named the recipient otherwise."""
    conversation_id: str | None
    """The id of the conversation; null if the request named the recipient otherwise."""
    client_ref: str | None
    """The `client_ref` of the request."""
    send_at: str
    """When the message is sent."""
    created_at: str
    """When the message was scheduled."""
    canceled_at: str | None
    """When the message was canceled; null if it was not."""


@final
class CheckedMessage(TypedDict):
    """A message that was only validated."""
    valid: bool
    """Always `true`."""
    account_id: str
    """The id of the account (the business's number) that the message would be sent from."""
    contact_id: str | None
    """The id of the contact, if it exists."""
    conversation_id: str | None
    """The id of the conversation, if it exists."""
    warnings: list[Literal["window_closed", "fallback_used"]]
    """Warnings, as for a message that is sent."""
    rendered: str
    """The text that the recipient would see."""
    lint: list[LintFinding]
    """What the channel is known to reject or to show wrongly. It never refuses a message."""


@final
class LintFinding(TypedDict):
    """Something that the reviewer is known to reject, or the channel to show wrongly."""
    rule: Literal["variable_at_edge", "adjacent_variables", "too_many_variables", "promotional_word", "url_shortener", "unbalanced_formatting", "language_mismatch", "excessive_space", "header_formatting", "mixed_buttons", "duplicate_button", "shouting"]
    """The rule that the text breaks. More values may be added."""
    severity: Literal["error", "warning"]
    """`error` if the reviewer is known to reject this, `warning` if it often does. More values may be added."""
    message: str
    """A sentence that says what to change."""
    field: str
    """The field, such as `components[0].text`."""


SendResult = Union["AcceptedMessage", "ScheduledMessage", "CheckedMessage"]
"""The answer to a send: an accepted message, or with `dry_run` a message that was only validated."""


@final
class BatchResults(TypedDict):
    """The results of a batch."""
    results: list[BatchResult]
    """One result for each message, in the order of the request."""


@final
class BatchResult(TypedDict):
    """The result of one message of a batch."""
    status: int
    """The status that the message would have been answered with alone: 201 if it is accepted, 200
    if it was only validated.
    """
    message: NotRequired[SendResult | None]
    """The answer to the message; omitted if it was refused."""
    error: NotRequired[BatchError | None]
    """The error; omitted if the message was not refused."""


@final
class BatchError(TypedDict):
    """The error of one message of a batch, with the fields that the error has alone."""
    error: str
    """A sentence for people."""
    code: str
    """A word for programs."""


@final
class MessagePage(TypedDict):
    """A page of messages, newest first."""
    data: list[Message]
    """The messages."""
    has_more: bool
    """Whether there may be more entries after this page."""
    next_after: str | None
    """The value of `after` for the next page. If the list ends with this page, it is null."""


@final
class MessageChannel(TypedDict):
    type: str


@final
class Message(TypedDict):
    """A message."""
    id: str
    """The id of the message."""
    conversation_id: str
    """The id of the conversation."""
    contact_id: str
    """The id of the contact."""
    contact: MessageContact
    """The contact as known now; in an event, as known when the event was recorded."""
    account_id: str
    """The id of the account (the business's number)."""
    direction: Literal["outbound", "inbound"]
    """The direction of the message. More values may be added."""
    source: Literal["api", "inbox", "agent", "phone", "customer"]
    """The author of the message. More values may be added."""
    type: Literal["text", "media", "interactive", "template", "location", "contacts", "reaction", "channel", "order", "unsupported"]
    """The type of the message. `order` and `unsupported` are only received; `channel` is only
    sent. More values may be added.
    """
    text: str | None
    """The text of a text message. For a reaction, the emoji, which is empty if the reaction was
    removed.
    """
    media: MessageMedia | None
    """The file of a media message."""
    transcript: NotRequired[str | None]
    """The words of a voice message that a contact sent; omitted if it was not transcribed."""
    interactive: InteractiveContent | None
    """The interactive message that was sent, or the contact's answer to one."""
    template: MessageTemplate | None
    """The template and its parameters."""
    location: NotRequired[MessageLocation | None]
    """The location."""
    contacts: NotRequired[list[MessageContactCard] | None]
    """The contact cards."""
    channel: NotRequired[MessageChannel | None]
    """The channel-specific body that was passed on."""
    order: NotRequired[ReceivedOrder | None]
    """The products that the contact ordered from a catalog."""
    unsupported: NotRequired[UnsupportedMessage | None]
    """The message as the channel reported it, if this version does not support its type."""
    referral: NotRequired[Referral | None]
    """The ad or post that led the contact to the business; omitted if there is none."""
    referred_product: NotRequired[ReferredProduct | None]
    """The product that the contact asks about; omitted if there is none."""
    forwarded: NotRequired[bool | None]
    """Whether the contact forwarded the message; omitted if they did not."""
    frequently_forwarded: NotRequired[bool | None]
    """Whether the message has been forwarded many times; omitted if it has not."""
    edited_at: NotRequired[str | None]
    """When the sender last edited the message; omitted if they have not."""
    previous_versions: NotRequired[list[MessageVersion] | None]
    """The earlier versions of the message, the oldest first; omitted if it was not edited."""
    deleted_at: NotRequired[str | None]
    """When the sender deleted the message; omitted if they have not. The content is kept."""
    status: Literal["queued", "sent", "delivered", "read", "failed", "received"]
    """The status of the message. An inbound message is `received`. More values may be added."""
    error: MessageError | None
    """The reason why the message failed."""
    client_ref: str | None
    """The `client_ref` of the request that sent the message."""
    metadata: dict[str, str] | None
    """The `metadata` of the request that sent the message."""
    reply_to: str | None
    """The id of the message that this one replies to."""
    created_at: str
    """When the message was accepted or received."""
    sent_at: str | None
    """When the channel accepted the message."""
    delivered_at: str | None
    """When the message reached the recipient's phone."""
    read_at: str | None
    """When the recipient read the message."""


@final
class MessageMedia(TypedDict):
    """The file of a media message."""
    url: str | None
    """The URL of the file; null until the file has been fetched."""
    media_type: Literal["image", "video", "audio", "document", "sticker", None]
    """The kind of file. More values may be added."""
    content_type: NotRequired[str | None]
    """The content type, for a file that a contact sent; null if the channel does not report it."""
    caption: str | None
    """The caption."""
    filename: str | None
    """The file name."""
    voice: NotRequired[bool | None]
    """Whether audio is a voice message; omitted if it is not."""
    animated: NotRequired[bool | None]
    """Whether a sticker is animated; omitted if it is not."""


InteractiveContent = Union["Interactive", "InteractiveChoice"]
"""An interactive message, or the contact's answer to one."""


@final
class InteractiveAction(TypedDict):
    buttons: NotRequired[list[InteractiveButton]]
    """For `button`: the reply buttons."""
    button: NotRequired[str]
    """For `list`: the label of the button that opens the list."""
    sections: NotRequired[list[InteractiveSection]]
    """For `list`: the sections, with at most 10 rows in all. For `product_list`: the sections,
    with at most 30 products in all.
    """
    name: NotRequired[str]
    """The name of the action, for types that have one: `send_location` for
    `location_request_message`, `review_and_pay` for `order_details`, `review_order` for
    `order_status`, and otherwise the name of the type.
    """
    parameters: NotRequired[InteractiveParameters]
    """The parameters of the action, for types that have them."""
    catalog_id: NotRequired[str]
    """For `product` and `product_list`: the id of the catalog."""
    product_retailer_id: NotRequired[str]
    """For `product`: the id of the product in the catalog."""
    cards: NotRequired[list[CarouselCard]]
    """For `carousel`: the cards."""


@final
class Interactive(TypedDict):
    """An interactive message."""
    type: Literal["button", "list", "cta_url", "flow", "location_request_message", "request_contact_info", "call_permission_request", "address_message", "catalog_message", "product", "product_list", "carousel", "order_details", "order_status"]
    """The type of the interactive message, such as buttons, a list, or a link. More values may be added."""
    header: NotRequired[InteractiveHeader]
    """The header, above the body."""
    body: NotRequired[InteractiveBody]
    """The text. Required, except for `product`."""
    footer: NotRequired[InteractiveFooter]
    """The footer, in small print below the body."""
    action: InteractiveAction
    """The action that the message offers."""


@final
class InteractiveHeader(TypedDict):
    """The header of an interactive message, above the body."""
    type: Literal["text", "image", "video", "document"]
    """The type of the header. The field of the same name holds its content. More values may be added."""
    text: NotRequired[str]
    """The text, of one line."""
    image: NotRequired[InteractiveLink]
    """The image."""
    video: NotRequired[InteractiveLink]
    """The video."""
    document: NotRequired[InteractiveDocument]
    """The document."""


@final
class InteractiveLink(TypedDict):
    """A file at a URL."""
    link: str
    """The URL of the file."""


@final
class InteractiveDocument(TypedDict):
    """A document at a URL."""
    link: str
    """The URL of the document."""
    filename: NotRequired[str]
    """The file name that the recipient sees."""


@final
class InteractiveBody(TypedDict):
    """The body of an interactive message."""
    text: str
    """The text."""


@final
class InteractiveFooter(TypedDict):
    """The footer of an interactive message."""
    text: str
    """The text."""


@final
class InteractiveButtonReply(TypedDict):
    id: str
    """The id that is returned when the button is tapped. Each button has a different one."""
    title: str
    """The label of the button. Each button has a different one."""


@final
class InteractiveButton(TypedDict):
    """A reply button."""
    type: Literal["reply"]
    """The type of the button, always `reply`."""
    reply: InteractiveButtonReply
    """The id and the title of the button."""


@final
class InteractiveSection(TypedDict):
    """A section of a list."""
    title: NotRequired[str]
    """The title. Required if there are several sections."""
    rows: NotRequired[list[InteractiveRow]]
    """Required for `list`: the rows."""
    product_items: NotRequired[list[InteractiveProductItem]]
    """Required for `product_list`: the products."""


@final
class InteractiveRow(TypedDict):
    """A row of a list."""
    id: str
    """The id that is returned when the row is chosen. Each row has a different one."""
    title: str
    """The title."""
    description: NotRequired[str]
    """The description, below the title."""


@final
class InteractiveProductItem(TypedDict):
    """A product in a list."""
    product_retailer_id: str
    """The id of the product in the catalog."""


@final
class InteractiveParameters(TypedDict):
    """The parameters of the action. Each type of interactive message has its own."""
    display_text: NotRequired[str]
    """Required for `cta_url`: the label of the button."""
    url: NotRequired[str]
    """Required for `cta_url`: the URL that the button opens."""
    flow_message_version: NotRequired[Literal["3"]]
    """For `flow`: the version, always `3`. More values may be added."""
    flow_id: NotRequired[str]
    """For `flow`: the channel's id of the flow. Set exactly one of `flow_id` and `flow_name`."""
    flow_name: NotRequired[str]
    """For `flow`: the name of the flow."""
    flow_cta: NotRequired[str]
    """Required for `flow`: the label of the button."""
    flow_token: NotRequired[str]
    """For `flow`: your own identifier for this use of the flow, which is returned with the answer."""
    mode: NotRequired[Literal["published", "draft"]]
    """For `flow`: `draft` to test a flow that is not published. The default is `published`. More values may be added."""
    flow_action: NotRequired[Literal["navigate", "data_exchange"]]
    """For `flow`: how the flow begins. The default is `navigate`, at a screen. More values may be added."""
    flow_action_payload: NotRequired[FlowPayload]
    """For `flow` with `navigate`: the first screen and its data."""
    thumbnail_product_retailer_id: NotRequired[str]
    """For `catalog_message`: the id of the product whose image is shown; the first product of the
    catalog if omitted.
    """
    country: NotRequired[str]
    """Required for `address_message`: the country code, two capital letters (ISO 3166)."""
    values: NotRequired[dict[str, Any]]
    """For `address_message`: the values that are filled in already."""
    saved_addresses: NotRequired[list[dict[str, Any]]]
    """For `address_message`: saved addresses to choose from."""
    validation_errors: NotRequired[dict[str, Any]]
    """For `address_message`: the errors of an earlier answer."""
    reference_id: NotRequired[str]
    """Required for `order_details` and `order_status`: your own identifier for the order."""
    type: NotRequired[Literal["digital-goods", "physical-goods"]]
    """Required for `order_details`: the type of goods. More values may be added."""
    payment_type: NotRequired[str]
    """For `order_details`: the payment type, which depends on the country."""
    payment_configuration: NotRequired[str]
    """For `order_details`: the name of a payment configuration."""
    payment_settings: NotRequired[list[dict[str, Any]]]
    """For `order_details`: the settings of the payment method."""
    currency: NotRequired[str]
    """Required for `order_details`: the currency code (ISO 4217), such as `INR`."""
    total_amount: NotRequired[OrderAmount]
    """Required for `order_details`: the total amount to pay."""
    order: NotRequired[InteractiveOrder]
    """For `order_details`: the order with its items. Required for `order_status`: the order with
    its status.
    """


@final
class FlowPayload(TypedDict):
    """The screen at which a flow begins."""
    screen: NotRequired[str]
    """The first screen."""
    data: NotRequired[dict[str, Any]]
    """The data that the screen receives. Must not be empty."""


@final
class OrderAmount(TypedDict):
    """An amount of money."""
    value: int
    """The amount multiplied by `offset`."""
    offset: int
    """Always `100`."""


@final
class InteractiveOrder(TypedDict):
    """An order."""
    status: Literal["pending", "processing", "partially-shipped", "shipped", "completed", "canceled"]
    """The status of the order; `pending` for `order_details`. More values may be added."""
    description: NotRequired[str]
    """For `order_status`: a sentence about the status."""
    catalog_id: NotRequired[str]
    """The id of the catalog that the items are from."""
    items: NotRequired[list[OrderItem]]
    """Required for `order_details`: the items."""
    subtotal: NotRequired[OrderAmount]
    """Required for `order_details`: the subtotal of the items."""
    tax: NotRequired[OrderCharge]
    """The tax."""
    shipping: NotRequired[OrderCharge]
    """The shipping costs."""
    discount: NotRequired[OrderCharge]
    """The discount."""
    expiration: NotRequired[OrderExpiration]
    """For `order_details`: the time until which the order can be paid."""


@final
class OrderItemAmount(TypedDict):
    value: int
    """The amount multiplied by `offset`."""
    offset: int
    """Always `100`."""


@final
class OrderItem(TypedDict):
    """An item of an order."""
    retailer_id: str
    """The id of the item in the catalog, or your own id."""
    name: str
    """The name of the item."""
    amount: OrderItemAmount
    """The price of one unit."""
    sale_amount: NotRequired[OrderAmount]
    """The reduced price of one unit."""
    quantity: int
    """The number of units."""
    image: NotRequired[InteractiveLink]
    """The image of the item; the catalog's image if omitted."""
    country_of_origin: NotRequired[str]
    """The country of origin. Like the importer, it is required for physical goods in India."""
    importer_name: NotRequired[str]
    """The name of the importer."""
    importer_address: NotRequired[dict[str, Any]]
    """The address of the importer."""


@final
class OrderCharge(TypedDict):
    """An amount that is added to the subtotal or deducted from it."""
    value: int
    """The amount multiplied by `offset`."""
    offset: int
    """Always `100`."""
    description: NotRequired[str]
    """The description of the amount."""
    discount_program_name: NotRequired[str]
    """For a discount: the name of the discount program."""


@final
class OrderExpiration(TypedDict):
    """The time until which an order can be paid."""
    timestamp: str
    """The time, as Unix time in seconds in a string."""
    description: str
    """The text that the recipient sees after that time."""


@final
class CarouselCardAction(TypedDict):
    name: NotRequired[Literal["cta_url"]]
    """For a link: `cta_url`. More values may be added."""
    parameters: NotRequired[CarouselCardLink]
    """For a link: the label of the button and the URL that it opens."""
    buttons: NotRequired[list[CarouselCardButton]]
    """The reply buttons."""
    catalog_id: NotRequired[str]
    """For a product: the id of the catalog."""
    product_retailer_id: NotRequired[str]
    """For a product: the id of the product in the catalog."""


@final
class CarouselCard(TypedDict):
    """A card of a carousel."""
    card_index: int
    """The index of the card, from 0. Each card has a different one."""
    type: Literal["cta_url", "product"]
    """The type of the card: `product`, or `cta_url` for all other cards, including those with
    reply buttons. More values may be added.
    """
    header: NotRequired[InteractiveHeader]
    """The image or video. Required, except for a product."""
    body: NotRequired[CarouselCardBody]
    """The text. Not allowed for a product."""
    action: CarouselCardAction
    """The action that the card offers."""


@final
class CarouselCardBody(TypedDict):
    """The text of a card, with at most two line breaks."""
    text: str
    """The text."""


@final
class CarouselCardLink(TypedDict):
    """The link of a card."""
    display_text: str
    """The label of the button."""
    url: str
    """The URL that the button opens."""


@final
class CarouselCardButtonQuickReply(TypedDict):
    id: str
    """The id that is returned when the button is tapped. Each button has a different one."""
    title: str
    """The label of the button. Each button has a different one."""


@final
class CarouselCardButton(TypedDict):
    """A reply button of a card."""
    type: Literal["quick_reply"]
    """The type of the button, always `quick_reply`."""
    quick_reply: CarouselCardButtonQuickReply
    """The id and the title of the button."""


@final
class InteractiveChoice(TypedDict):
    """The answer to an interactive message: a tapped button or row, a completed form, or a call
    permission.
    """
    type: Literal["button_reply", "list_reply", "flow_reply", "call_permission_reply"]
    """The type of the answer. The field of the same name holds its content. More values may be added."""
    button_reply: NotRequired[InteractiveSelection | None]
    """For `button_reply`: the tapped button."""
    list_reply: NotRequired[InteractiveSelection | None]
    """For `list_reply`: the chosen row."""
    flow_reply: NotRequired[FlowReply | None]
    """For `flow_reply`: the completed form."""
    call_permission_reply: NotRequired[CallPermissionReply | None]
    """For `call_permission_reply`: the permission."""


@final
class InteractiveSelection(TypedDict):
    """A tapped button or a chosen row."""
    id: str
    """The id that the button or row was sent with."""
    title: str
    """The title of the button or row."""
    description: NotRequired[str | None]
    """The description of the row."""


@final
class FlowReply(TypedDict):
    """A completed form."""
    name: str | None
    """The kind of form, such as `flow` or `address_message`; null if the channel does not report
    it.
    """
    body: str | None
    """The part of the answer that the contact sees."""
    response: Any
    """The decoded answer. For a flow, an object with its fields and its `flow_token`. A string if
    the answer is not JSON.
    """


@final
class CallPermissionReply(TypedDict):
    """A contact's permission for the business to call them."""
    accepted: bool
    """Whether the business may call."""
    permanent: bool
    """Whether the permission is valid until the contact revokes it."""
    expires_at: str | None
    """When the permission expires; null if it does not expire or the channel does not report it."""
    automatic: bool
    """Whether the permission was granted without a request, because the contact called the
    business.
    """


@final
class MessageTemplate(TypedDict):
    """A template and its parameters."""
    name: str
    """The name of the template."""
    language: str
    """The language of the template."""
    components: list[TemplateComponent]
    """The parameters of the template."""


@final
class TemplateComponent(TypedDict):
    """The parameters of one component of a template."""
    type: Literal["header", "body", "button", "limited_time_offer", "order_status", "tap_target_configuration", "carousel"]
    """The type of component that the parameters are for. More values may be added."""
    sub_type: NotRequired[Literal["quick_reply", "url", "copy_code", "flow", "catalog", "mpm", "spm", "voice_call", "video_call", "order_details", "payment_request", "reminder", "booking_status", "phone_number", "request_contact_info", "app", "postback", None]]
    """For a button: the type of the button. More values may be added."""
    index: NotRequired[str | None]
    """For a button: its index, from `0` to `9`. A number is accepted too. Optional for `voice_call`."""
    parameters: list[TemplateParameter]
    """The values of the variables, in order."""
    cards: NotRequired[list[CardComponents] | None]
    """For `carousel`: the parameters of each card."""


@final
class TemplateParameter(TypedDict):
    """The value of one variable of a template."""
    type: Literal["text", "currency", "date_time", "image", "video", "gif", "document", "location", "product", "limited_time_offer", "coupon_code", "payload", "ttl_minutes", "action", "order_status", "tap_target_configuration"]
    """The type of the parameter. The field of the same name holds its value. More values may be added."""
    parameter_name: NotRequired[str]
    """The name of the variable, if the template has named variables."""
    text: NotRequired[str]
    """The text, without line breaks, tabs or more than four spaces in a row, because the channel rejects them."""
    currency: NotRequired[CurrencyParameter]
    """The amount of money."""
    date_time: NotRequired[DateTimeParameter]
    """The date and time."""
    image: NotRequired[LinkedFile]
    """The image."""
    video: NotRequired[LinkedFile]
    """The video."""
    gif: NotRequired[LinkedFile]
    """The animation: an MP4 file of at most 3.5 MB."""
    document: NotRequired[LinkedFile]
    """The document."""
    location: NotRequired[Location]
    """The location, for a header of format `LOCATION`."""
    product: NotRequired[ProductParameter]
    """The product, for a header of format `PRODUCT`."""
    limited_time_offer: NotRequired[OfferExpiration]
    """The end of the offer."""
    coupon_code: NotRequired[str]
    """The code that the button copies."""
    payload: NotRequired[str]
    """The payload that is returned when a quick reply button is tapped."""
    ttl_minutes: NotRequired[int]
    """Number of minutes that a button that calls the business stays active."""
    action: NotRequired[ButtonAction]
    """The action of a button that opens a flow, the catalog, products or an order."""
    order_status: NotRequired[dict[str, Any]]
    """The status of an order, in Meta's shape: `reference_id`, and `order` with `status` and `description`."""
    tap_target_configuration: NotRequired[list[TapTarget]]
    """Titles that replace those of links."""


@final
class CurrencyParameter(TypedDict):
    """An amount of money."""
    fallback_value: str
    """The text that is shown on devices that cannot format the amount."""
    code: str
    """The currency code (ISO 4217), such as `USD`."""
    amount_1000: int
    """The amount multiplied by 1000."""


@final
class DateTimeParameter(TypedDict):
    """A date and time. The channel shows `fallback_value`; it accepts the parts too."""
    fallback_value: str
    """The text that is shown."""
    day_of_week: NotRequired[int]
    """1 for Monday to 7 for Sunday. English names of days are accepted too."""
    year: NotRequired[int]
    """The year."""
    month: NotRequired[int]
    """The month, starting at 1."""
    day_of_month: NotRequired[int]
    """The day of the month, starting at 1."""
    hour: NotRequired[int]
    """The hour, starting at 0."""
    minute: NotRequired[int]
    """The minute, starting at 0."""
    calendar: NotRequired[str]
    """The calendar, such as `GREGORIAN`."""
    timestamp: NotRequired[int]
    """The date and time as seconds since 1970."""


@final
class LinkedFile(TypedDict):
    """A file at a URL."""
    link: str
    """The URL of the file."""
    filename: NotRequired[str]
    """The file name that the recipient sees, for documents. For one of your uploads it defaults to the upload's name."""


@final
class Location(TypedDict):
    """A location."""
    latitude: float
    """Degrees north. A numeric string is accepted too."""
    longitude: float
    """Degrees east. A numeric string is accepted too."""
    name: NotRequired[str]
    """The name of the place."""
    address: NotRequired[str]
    """The address of the place."""


@final
class ProductParameter(TypedDict):
    """A product in a catalog."""
    catalog_id: str
    """The id of the catalog."""
    product_retailer_id: str
    """The id of the product in the catalog."""


@final
class OfferExpiration(TypedDict):
    """The end of an offer."""
    expiration_time_ms: int
    """The time at which the offer ends, as Unix time in milliseconds."""


@final
class ButtonAction(TypedDict):
    """The action of a button that opens a flow, the catalog, products or an order."""
    thumbnail_product_retailer_id: NotRequired[str]
    """The id of the product whose image is shown above the message."""
    sections: NotRequired[list[ProductSection]]
    """The products: at most 30 in at most 10 sections."""
    flow_token: NotRequired[str]
    """Your own identifier for this use of a flow."""
    flow_action_data: NotRequired[dict[str, Any]]
    """The data that the first screen of the flow receives."""
    order_details: NotRequired[dict[str, Any]]
    """The order to be paid, in Meta's format, with your own `reference_id`. The other fields differ by country."""


@final
class ProductSection(TypedDict):
    """A section of products."""
    title: NotRequired[str]
    """The title of the section."""
    product_items: list[ProductItem]
    """The products in the section."""


@final
class ProductItem(TypedDict):
    """A product."""
    product_retailer_id: str
    """The id of the product in the catalog."""


@final
class TapTarget(TypedDict):
    """A title that replaces that of a link."""
    url: str
    """The URL of the link."""
    title: str
    """The title of the section."""


@final
class CardComponents(TypedDict):
    """The parameters of one card of a carousel."""
    card_index: int
    """The index of the card, from 0 to 9."""
    components: list[TemplateComponent]
    """The parameters of the card's components."""


@final
class MessageLocation(TypedDict):
    """The location of a message."""
    latitude: float
    """The latitude in degrees."""
    longitude: float
    """The longitude in degrees."""
    name: NotRequired[str | None]
    """The name of the place."""
    address: NotRequired[str | None]
    """The address of the place."""
    url: NotRequired[str | None]
    """The URL of the place's page, for a location that a contact sent."""


@final
class MessageContactCard(TypedDict):
    """A person or a business, as an address book holds it and history shows it."""
    name: MessageContactCardName
    """The name."""
    phones: NotRequired[list[MessageContactCardPhone] | None]
    """The phone numbers."""
    emails: NotRequired[list[MessageContactCardEmail] | None]
    """The email addresses."""
    urls: NotRequired[list[MessageContactCardUrl] | None]
    """The web addresses."""
    addresses: NotRequired[list[MessageContactCardAddress] | None]
    """The postal addresses."""
    org: NotRequired[MessageContactCardOrganization | None]
    """The person's company and position."""
    birthday: NotRequired[str | None]
    """The birthday, such as `2012-08-18`."""


@final
class MessageContactCardName(TypedDict):
    """The name on a contact card."""
    formatted_name: str
    """The full name; empty if the sender's phone did not provide it."""
    first_name: NotRequired[str | None]
    """The first name."""
    last_name: NotRequired[str | None]
    """The last name."""
    middle_name: NotRequired[str | None]
    """The middle name."""
    suffix: NotRequired[str | None]
    """A suffix, such as `Jr`."""
    prefix: NotRequired[str | None]
    """A prefix, such as `Dr`."""


@final
class MessageContactCardPhone(TypedDict):
    """A phone number on a contact card."""
    phone: NotRequired[str | None]
    """The number, as the card shows it."""
    type: NotRequired[str | None]
    """`HOME`, `WORK` and the like."""
    wa_id: NotRequired[str | None]
    """The channel's id of the person."""


@final
class MessageContactCardEmail(TypedDict):
    """An email address on a contact card."""
    email: str
    """The email address."""
    type: NotRequired[str | None]
    """`HOME`, `WORK` and the like."""


@final
class MessageContactCardUrl(TypedDict):
    """A web address on a contact card."""
    url: str
    """The URL."""
    type: NotRequired[str | None]
    """`HOME`, `WORK` and the like."""


@final
class MessageContactCardAddress(TypedDict):
    """A postal address on a contact card."""
    street: NotRequired[str | None]
    """The street and number."""
    city: NotRequired[str | None]
    """The city."""
    state: NotRequired[str | None]
    """The state."""
    zip: NotRequired[str | None]
    """The ZIP code."""
    country: NotRequired[str | None]
    """The country."""
    country_code: NotRequired[str | None]
    """The two-letter country code (ISO 3166)."""
    type: NotRequired[str | None]
    """`HOME`, `WORK` and the like."""


@final
class MessageContactCardOrganization(TypedDict):
    """A person's company and position."""
    company: NotRequired[str | None]
    """The company."""
    department: NotRequired[str | None]
    """The department."""
    title: NotRequired[str | None]
    """The job title."""


@final
class ReceivedOrder(TypedDict):
    """An order that a contact placed from a catalog."""
    catalog_id: str
    """The id of the catalog."""
    text: str | None
    """The text that the contact wrote with the order."""
    product_items: list[ReceivedOrderItem]
    """The ordered products."""


@final
class ReceivedOrderItem(TypedDict):
    """An ordered product."""
    product_retailer_id: str
    """The id of the product in the catalog."""
    quantity: float
    """The number of units."""
    item_price: float
    """The price of one unit."""
    currency: str
    """The currency code (ISO 4217)."""


@final
class UnsupportedMessage(TypedDict):
    """A message from a contact, of a type that this version does not support."""
    type: str
    """The channel's name for the type, such as `poll`."""
    payload: Any
    """The whole message, as the channel reported it."""


@final
class Referral(TypedDict):
    """The ad or post that led a contact to the business, as the channel describes it. There may be
    further fields.
    """
    source_url: NotRequired[str | None]
    """The URL of the ad or post."""
    source_id: NotRequired[str | None]
    """The id of the ad or post."""
    source_type: NotRequired[str | None]
    """The type of the source: `ad` or `post`."""
    headline: NotRequired[str | None]
    """The headline."""
    body: NotRequired[str | None]
    """The text."""
    media_type: NotRequired[str | None]
    """The type of the media: `image` or `video`."""
    image_url: NotRequired[str | None]
    """The URL of the image."""
    video_url: NotRequired[str | None]
    """The URL of the video."""
    ctwa_clid: NotRequired[str | None]
    """The click id, for the channel's conversion reports."""


@final
class ReferredProduct(TypedDict):
    """A product in a catalog."""
    catalog_id: str
    """The id of the catalog."""
    product_retailer_id: str
    """The id of the product in the catalog."""


@final
class MessageVersion(TypedDict):
    """An earlier version of a message."""
    type: Literal["text", "media", "interactive", "template", "location", "contacts", "reaction", "channel", "order", "unsupported"]
    """The type of that version. More values may be added."""
    text: str | None
    """The text, if the version was a text."""
    media: MessageMedia | None
    """The file, if the version was a media message."""
    created_at: str
    """When the version was written."""


@final
class MessageError(TypedDict):
    """The reason why a message failed."""
    code: Literal["window_closed", "recipient_unreachable", "recipient_opted_out", "channel_capped", "channel_rate_limited", "template_params_mismatch", "template_not_found", "template_paused", "template_disabled", "media_failed", "account_locked", "phone_number_required", "agent_paused", "template_not_approved", "plan_limit_exceeded", "contact_deleted", "channel_error"]
    """The error code. More values may be added."""
    message: str
    """The channel's error message."""
    channel_code: int | None
    """The channel's error code; null if the channel was never reached."""


@final
class ScheduledMessagePage(TypedDict):
    """A page of scheduled messages, in the order of their times."""
    data: list[ScheduledMessage]
    """The scheduled messages."""
    has_more: bool
    """Whether there may be more entries after this page."""
    next_after: str | None
    """The value of `after` for the next page. If the list ends with this page, it is null."""


FoundMessage = Union["Message", "ScheduledMessage"]
"""A message, or one that is sent later."""


@final
class ReadReceipt(TypedDict):
    """A message that was marked as read."""
    id: str
    """The id of the message."""
    status: Literal["read"]
    """Always `read`."""
    typing: bool
    """Whether the contact is shown a typing indicator."""


@final
class CreatedTemplate(TypedDict):
    """The created template, and the parts of it that were not checked."""
    id: str
    """The id of the template."""
    name: str
    """The name of the template."""
    language: str
    """The language of the template."""
    category: Literal["utility", "marketing", "authentication"]
    """The category of the template. More values may be added."""
    status: Literal["draft", "pending", "approved", "rejected", "paused", "disabled", "archived", "deleted"]
    """The review status. More values may be added."""
    rejection_reason: Literal["abusive_content", "incorrect_category", "invalid_format", "promotional", "scam", "tag_content_mismatch", None]
    """The reason for a rejection, as a code. More values may be added."""
    rejection_detail: str | None
    """The reason for a rejection, in the reviewer's words."""
    parameter_format: Literal["positional", "named"]
    """The format of the variables. More values may be added."""
    components: list[TemplatePart]
    """The components of the template."""
    message_send_ttl_seconds: NotRequired[int | None]
    """The time to live of a message with this template, in seconds; null for the channel's
    default.
    """
    quality: NotRequired[Literal["unknown", "green", "yellow", "red", None]]
    """The quality rating by the channel; null until the template is rated. More values may be added."""
    account_id: str
    """The id of the account that the template was created for."""
    external_id: str | None
    """The reviewer's id of the template."""
    submitted_at: str | None
    """When the template was submitted for review."""
    reviewed_at: str | None
    """When the reviewer last changed the status."""
    created_at: str
    """When the template was created."""
    updated_at: str
    """When the template was last changed."""
    warnings: list[TemplateWarning]
    """Types and fields that were passed to the reviewer without a check, because this version does not know them."""
    lint: list[LintFinding]
    """What the reviewer is known to reject. It never refuses a template."""


@final
class TemplatePart(TypedDict):
    """A component of a template."""
    type: str
    """The type of the component: `HEADER`, `BODY`, `FOOTER`, `BUTTONS`, `CAROUSEL` or
    `LIMITED_TIME_OFFER`. A type that this version does not know is passed to the reviewer, with
    a warning.
    """
    format: NotRequired[str | None]
    """For a header: the format, `TEXT`, `IMAGE`, `VIDEO`, `GIF`, `DOCUMENT`, `LOCATION` or
    `PRODUCT`.
    """
    text: NotRequired[str | None]
    """The text with its variables: at most 1024 characters in a body, 60 in a header or a footer."""
    example: NotRequired[TemplateExample | None]
    """Examples for the variables, for the reviewer."""
    buttons: NotRequired[list[TemplateButton] | None]
    """The buttons, 1 to 10."""
    add_security_recommendation: NotRequired[bool | None]
    """For the body of a one-time code, which has no text of its own: whether to warn against
    sharing the code.
    """
    code_expiration_minutes: NotRequired[int | None]
    """For the footer of a one-time code: the number of minutes after which the code expires."""
    limited_time_offer: NotRequired[LimitedTimeOffer | None]
    """For `LIMITED_TIME_OFFER`: the offer."""
    cards: NotRequired[list[TemplateCard] | None]
    """For `CAROUSEL`: 2 to 10 cards with the same components."""


@final
class TemplateExample(TypedDict):
    """Examples for the variables of a component."""
    header_text: NotRequired[list[str] | None]
    """The example for the variable of a header."""
    body_text: NotRequired[list[list[str]] | None]
    """The examples for the variables of a body, in order: a list that contains one list."""
    header_handle: NotRequired[list[str] | None]
    """For a header with a file: the channel's handle of a sample file."""
    header_text_named_params: NotRequired[list[NamedExample] | None]
    """The example for the named variable of a header."""
    body_text_named_params: NotRequired[list[NamedExample] | None]
    """The examples for the named variables of a body."""


@final
class NamedExample(TypedDict):
    """An example for a named variable."""
    param_name: str | None
    """The name of the variable."""
    example: str | None
    """The example value."""


@final
class TemplateButton(TypedDict):
    """A button of a template."""
    type: str
    """The type of the button: `QUICK_REPLY`, `URL`, `PHONE_NUMBER`, `COPY_CODE`, `OTP`, `FLOW`,
    `CATALOG`, `MPM`, `SPM`, `VOICE_CALL`, `CALL_PERMISSION_REQUEST` or `REQUEST_CONTACT_INFO`.
    A type that this version does not know is passed to the reviewer, with a warning.
    """
    text: NotRequired[str]
    """The label of the button."""
    url: NotRequired[str]
    """For `URL`: the URL that the button opens, which may end with `{{1}}`."""
    phone_number: NotRequired[str]
    """For `PHONE_NUMBER`: the number that the button calls."""
    example: NotRequired[list[str]]
    """For `URL` with a variable: a list with one complete URL. For `COPY_CODE`: a list with one
    code.
    """
    otp_type: NotRequired[str]
    """For `OTP`: the type, `COPY_CODE`, `ONE_TAP` or `ZERO_TAP`."""
    autofill_text: NotRequired[str]
    """For `OTP`: the label of the button that fills in the code."""
    zero_tap_terms_accepted: NotRequired[bool]
    """For `OTP` with `ZERO_TAP`: `true`, to accept Meta's terms."""
    supported_apps: NotRequired[list[SupportedApp]]
    """For `OTP` with `ONE_TAP` or `ZERO_TAP`: the apps that may fill in the code."""
    flow_id: NotRequired[str]
    """For `FLOW`: the id of the flow. Set one of `flow_id`, `flow_name` and `flow_json`."""
    flow_name: NotRequired[str]
    """For `FLOW`: the name of the flow."""
    flow_json: NotRequired[str]
    """For `FLOW`: the flow itself, as JSON in a string."""
    flow_action: NotRequired[str]
    """For `FLOW`: the action, `navigate` or `data_exchange`."""
    navigate_screen: NotRequired[str]
    """For `FLOW`: the first screen."""


@final
class SupportedApp(TypedDict):
    """An Android app."""
    package_name: str
    """The package name of the app."""
    signature_hash: str
    """The hash of the app's signing key, 11 characters."""


@final
class LimitedTimeOffer(TypedDict):
    """A limited-time offer."""
    text: str
    """The text of the offer."""
    has_expiration: NotRequired[bool]
    """Whether messages show when the offer ends."""


@final
class TemplateCard(TypedDict):
    """A card of a carousel."""
    components: list[TemplatePart]
    """The components of the card: a HEADER with an image, a video or a product, a BODY except for
    a product, and BUTTONS.
    """


@final
class TemplateWarning(TypedDict):
    """A part of a template that is passed to the reviewer without a check."""
    field: str
    """The field, such as `components[1].buttons[0].type`."""
    code: Literal["unknown_type", "unknown_field"]
    """The reason why the field was not checked. More values may be added."""
    message: str
    """A sentence that explains the warning."""


@final
class CheckedTemplate(TypedDict):
    """A template that was only validated."""
    valid: bool
    """Always `true`."""
    warnings: list[TemplateWarning]
    """Types and fields that would be passed to the reviewer without a check, because this version does not know them."""
    lint: list[LintFinding]
    """What the reviewer is known to reject."""


CreateTemplateResult = Union["CreatedTemplate", "CheckedTemplate"]
"""The answer to a new template: the created template, or with `dry_run` one that was only
validated.
"""


@final
class TemplatePage(TypedDict):
    """A page of templates, the newest first."""
    data: list[Template]
    """The templates."""
    pagination: Pagination
    """The position of this page in the list."""


@final
class Template(TypedDict):
    """A template."""
    id: str
    """The id of the template."""
    name: str
    """The name of the template."""
    language: str
    """The language of the template."""
    category: Literal["utility", "marketing", "authentication"]
    """The category of the template. More values may be added."""
    status: Literal["draft", "pending", "approved", "rejected", "paused", "disabled", "archived", "deleted"]
    """The review status. More values may be added."""
    rejection_reason: Literal["abusive_content", "incorrect_category", "invalid_format", "promotional", "scam", "tag_content_mismatch", None]
    """The reason for a rejection, as a code. More values may be added."""
    rejection_detail: str | None
    """The reason for a rejection, in the reviewer's words."""
    parameter_format: Literal["positional", "named"]
    """The format of the variables. More values may be added."""
    components: list[TemplatePart]
    """The components of the template."""
    message_send_ttl_seconds: NotRequired[int | None]
    """The time to live of a message with this template, in seconds; null for the channel's
    default.
    """
    quality: NotRequired[Literal["unknown", "green", "yellow", "red", None]]
    """The quality rating by the channel; null until the template is rated. More values may be added."""
    account_id: str
    """The id of the account that the template was created for."""
    external_id: str | None
    """The reviewer's id of the template."""
    submitted_at: str | None
    """When the template was submitted for review."""
    reviewed_at: str | None
    """When the reviewer last changed the status."""
    created_at: str
    """When the template was created."""
    updated_at: str
    """When the template was last changed."""


@final
class Pagination(TypedDict):
    """The position of the page in the list, and how to get the next page."""
    limit: int
    """The `limit` of the request."""
    offset: int
    """Number of entries that were skipped."""
    total: int
    """Total number of entries."""
    has_more: bool
    """Whether there are more entries after this page."""
    next_offset: int | None
    """The `offset` of the next page; null on the last page."""


@final
class Media(TypedDict):
    """An uploaded file."""
    id: str
    """The id of the file."""
    url: str
    """The public URL, to use as `media_url`."""
    content_type: Literal["image/jpeg", "image/png", "image/webp", "audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg", "video/mp4", "video/3gpp", "application/pdf", "text/plain", "text/csv", "application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "application/vnd.openxmlformats-officedocument.presentationml.presentation"]
    """The content type. More values may be added."""
    size: int
    """The size in bytes."""
    sha256: str
    """The SHA-256 digest, in hex."""
    filename: str
    """The file name."""
    created_at: str
    """When the file was uploaded."""


@final
class HistoryPage(TypedDict):
    """A page of the history of a conversation."""
    data: list[Message]
    """The messages."""
    pagination: Pagination
    """The position of this page in the history."""
    conversation: Conversation | None
    """The conversation; null unless exactly one was found."""


@final
class Conversation(TypedDict):
    """A conversation."""
    id: str
    """The id of the conversation."""
    ai_agent: Literal["running", "paused"]
    """Whether the AI agent replies in this conversation: `running` or `paused`. More values may be added."""
    window_expires_at: str | None
    """When the customer service window of 24 hours closes; null if the contact has never written."""
    contact: Contact
    """The contact."""


@final
class Contact(TypedDict):
    """A contact: a person outside the organization, as one account knows them."""
    id: str
    """The id of the contact."""
    account_id: str
    """The id of the account (the business's number)."""
    phone_number: str | None
    """The phone number. Null until it is known: since 2026, people may show a username instead."""
    channel_user_id: str | None
    """The channel's id of the contact, the same for all numbers of a business portfolio. Null
    until it is known.
    """
    channel_parent_user_id: str | None
    """The channel's id of the contact that linked portfolios share. Null until it is known."""
    username: str | None
    """The username. Null until it is known."""
    name: str | None
    """The name that the contact chose. Null until it is known."""
    opted_out_at: str | None
    """When the contact opted out of marketing messages; null if they have not."""
    created_at: str
    """When the contact was created."""


@final
class ContactPage(TypedDict):
    """A page of contacts, newest first."""
    data: list[ListedContact]
    """The contacts."""
    has_more: bool
    """Whether there may be more entries after this page."""
    next_after: str | None
    """The value of `after` for the next page. If the list ends with this page, it is null."""


@final
class ListedContact(TypedDict):
    """A contact with the time of the last message, as lists show it."""
    id: str
    """The id of the contact."""
    account_id: str
    """The id of the account (the business's number)."""
    phone_number: str | None
    """The phone number. Null until it is known: since 2026, people may show a username instead."""
    channel_user_id: str | None
    """The channel's id of the contact, the same for all numbers of a business portfolio. Null
    until it is known.
    """
    channel_parent_user_id: str | None
    """The channel's id of the contact that linked portfolios share. Null until it is known."""
    username: str | None
    """The username. Null until it is known."""
    name: str | None
    """The name that the contact chose. Null until it is known."""
    opted_out_at: str | None
    """When the contact opted out of marketing messages; null if they have not."""
    created_at: str
    """When the contact was created."""
    conversation_id: str
    """The conversation with the contact."""
    last_message_at: str
    """The time at which the last message was accepted or received."""
    deleted_at: str | None
    """When the contact was deleted; null if it was not."""


@final
class DeletedContact(TypedDict):
    """A contact that was deleted."""
    id: str
    """The id of the contact."""
    conversation_id: str
    """The id of the conversation with the contact."""
    deleted: bool
    """Always true."""


@final
class ConversationPage(TypedDict):
    """A page of conversations, those with the newest messages first."""
    data: list[Conversation2]
    """The conversations."""
    has_more: bool
    """Whether there may be more entries after this page."""
    next_after: str | None
    """The value of `after` for the next page. If the list ends with this page, it is null."""


@final
class Conversation2(TypedDict):
    """A conversation: all messages between one of your numbers and one contact."""
    id: str
    """The id of the conversation."""
    account_id: str
    """The id of the account (the business's number)."""
    contact_id: str
    """The id of the contact."""
    phone_number: str | None
    """The contact's phone number; null until it is known."""
    name: str | None
    """The name that the contact chose; null until it is known."""
    status: Literal["open", "waiting", "snoozed", "closed"]
    """The status in the inbox. A message from the contact opens the conversation. More values may be added."""
    snoozed_until: str | None
    """When a snoozed conversation opens; null if it is not snoozed."""
    assignee_id: str | None
    """The id of the member who answers; null if there is none."""
    labels: list[str]
    """The labels, in alphabetical order."""
    needs_person_since: str | None
    """Since when a person of your organization has to answer; null if nobody has to."""
    ai_agent: Literal["running", "paused"]
    """Whether the AI agent answers: `running` or `paused`. More values may be added."""
    agent: ConversationAgent
    """The AI agent in this conversation."""
    window_closes_at: str | None
    """The end of the customer service window; null if the contact never wrote. Until then you can
    send free-form messages.
    """
    last_message_at: str
    """When the last message was accepted or received."""
    message_count: int
    """Number of messages."""
    created_at: str
    """When the conversation began."""


@final
class ConversationAgent(TypedDict):
    """The AI agent in a conversation."""
    state: Literal["running", "paused"]
    """Whether the agent answers. More values may be added."""
    cause: Literal["member", "api", "phone", "handed_over", "limit", "loop", "opted_out", "channel", None]
    """Why the agent is paused; null while it is running. More values may be added."""
    reason: str | None
    """The reason that was given with the pause; null if none was."""
    by: str | None
    """The id of the member who paused the agent; null if no member did."""
    since: str | None
    """Since when the agent is paused; null while it is running."""
    until: str | None
    """When the agent answers again by itself; null if it does not."""


@final
class NotePage(TypedDict):
    """A page of notes, newest first."""
    data: list[Note]
    """The notes."""
    has_more: bool
    """Whether there may be more entries after this page."""
    next_after: str | None
    """The value of `after` for the next page. If the list ends with this page, it is null."""


@final
class Note(TypedDict):
    """A note about a conversation. Notes are never sent."""
    id: str
    """The id of the note."""
    conversation_id: str
    """The id of the conversation."""
    text: str
    """The text."""
    author: NoteAuthor
    """The author of the note."""
    created_at: str
    """When the note was written."""


@final
class NoteAuthor(TypedDict):
    """The author of a note."""
    type: Literal["member", "key", "agent", "channel"]
    """Whether a member, a program, an AI agent or the channel's own agent wrote the note. More values may be added."""
    id: str | None
    """The id of the member or agent, or the client id of the key; null for the channel's own agent."""
    name: str
    """The name of the member, the key or the agent."""


@final
class AgentTest(TypedDict):
    """The results of the questions."""
    passed: bool
    """Whether all questions passed."""
    questions: list[AgentTestQuestion]
    """The results, in the order of the questions."""


@final
class AgentTestQuestion(TypedDict):
    """The result of one question."""
    question: str
    """What the customer writes."""
    passed: bool
    """Whether the answer has what it must have, and nothing that it must not have."""
    answer: str | None
    """The text of the answer. Null if the agent said nothing."""
    handed_over: bool
    """Whether the agent handed the conversation over."""
    problems: list[str]
    """What is wrong, in words."""
    took_ms: int
    """How long the answer took, in milliseconds."""


@final
class EventPage(TypedDict):
    """A page of events, in the order of their sequence."""
    data: list[Event]
    """The events."""
    has_more: bool
    """Whether there may be more entries after this page."""
    next_after: int
    """The value of `after` for the next page. If the list ends with this page, it is null."""
    pagination: CursorPagination
    """An older form of `has_more` and `next_after`."""
    resends: NotRequired[list[Resend] | None]
    """With `resends_after`: the newest requests to get events again, in order; at most 100."""


Event = Union["MessageReceivedEvent", "MessageQueuedEvent", "MessageSentEvent", "MessageDeliveredEvent", "MessageReadEvent", "MessageFailedEvent", "MessageEditedEvent", "MessageDeletedEvent", "MessageTranscribedEvent", "MessageCanceledEvent", "TemplateSubmittedEvent", "TemplateApprovedEvent", "TemplateRejectedEvent", "TemplatePausedEvent", "TemplateDisabledEvent", "TemplateArchivedEvent", "TemplateDeletedEvent", "TemplateUpdatedEvent", "AccountUpdatedEvent", "ConversationCreatedEvent", "ConversationAgentPausedEvent", "ConversationAgentResumedEvent", "ConversationUpdatedEvent", "ConversationWindowClosingEvent", "NoteCreatedEvent", "ConversationHandoverRequestedEvent", "AgentTurnFinishedEvent", "ContactCreatedEvent", "ContactUpdatedEvent", "ContactOptedOutEvent", "ContactOptedInEvent", "ContactMergedEvent", "ContactDeletedEvent", "ConnectionCreatedEvent", "ConnectionDisconnectedEvent", "PlanLimitReachedEvent", "KeyExpiringEvent", "EndpointFailingEvent", "EndpointDisabledEvent", "EndpointRecoveredEvent", "WebhookTestEvent"]
"""An event. `type` decides what `data` contains."""


@final
class MessageReceivedEvent(TypedDict):
    """A person wrote to one of your numbers."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["message.received"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Message


@final
class MessageQueuedEvent(TypedDict):
    """A message was accepted and waits for the channel."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["message.queued"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Message


@final
class MessageSentEvent(TypedDict):
    """The channel took a message."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["message.sent"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Message


@final
class MessageDeliveredEvent(TypedDict):
    """A message reached the person's device."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["message.delivered"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Message


@final
class MessageReadEvent(TypedDict):
    """The person read a message."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["message.read"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Message


@final
class MessageFailedEvent(TypedDict):
    """A message will not arrive, and its error says why."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["message.failed"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Message


@final
class MessageEditedEvent(TypedDict):
    """A message was edited; previous_versions holds what it said."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["message.edited"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Message


@final
class MessageDeletedEvent(TypedDict):
    """A message was deleted; what it said is kept here."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["message.deleted"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Message


@final
class MessageTranscribedEvent(TypedDict):
    """A person's voice message was transcribed; transcript holds its words."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["message.transcribed"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Message


@final
class MessageCanceledEvent(TypedDict):
    """A scheduled message was canceled before its time."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["message.canceled"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: ScheduledMessage


@final
class TemplateSubmittedEvent(TypedDict):
    """A template was handed to the reviewer, for the first time or after a change."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["template.submitted"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Template


@final
class TemplateApprovedEvent(TypedDict):
    """The reviewer approved a template: it can be sent."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["template.approved"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Template


@final
class TemplateRejectedEvent(TypedDict):
    """The reviewer rejected a template, and said why."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["template.rejected"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Template


@final
class TemplatePausedEvent(TypedDict):
    """The channel paused a template: it cannot be sent for now."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["template.paused"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Template


@final
class TemplateDisabledEvent(TypedDict):
    """The channel disabled a template: it cannot be sent."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["template.disabled"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Template


@final
class TemplateArchivedEvent(TypedDict):
    """The channel archived a template: it cannot be sent."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["template.archived"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Template


@final
class TemplateDeletedEvent(TypedDict):
    """A template was deleted, here or at the channel: it cannot be sent."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["template.deleted"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Template


@final
class TemplateChangeData(TypedDict):
    """A change that the channel made to a template."""
    id: str
    """The id of the template."""
    account_id: str
    """The account that the template was created for."""
    name: str
    """The name of the template."""
    language: str
    """The language of the template."""
    change: Literal["quality", "category", "components"]
    """The part of the template that was changed. More values may be added."""
    previous: Any
    """The previous value: a keyword, or the components. Null if it was not known."""
    current: Any
    """The value after the change."""


@final
class TemplateUpdatedEvent(TypedDict):
    """The channel changed a template: its category, its components, or its quality rating."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["template.updated"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: TemplateChangeData


@final
class AccountData(TypedDict):
    """An account: a number of the business that is connected to a channel."""
    id: str
    """The id of the account."""
    phone_number: str
    """The phone number."""
    display_name: str
    """The name that recipients see."""
    channel: Literal["sandbox", "cloud_api", "twilio"]
    """The channel behind the account. More values may be added."""
    health: AccountHealth
    """Whether the account can send messages."""


@final
class AccountHealth(TypedDict):
    """The ability of an account to send messages."""
    state: Literal["ok", "held", "restricted"]
    """The state: `ok`; `held` while the channel refuses the account and its messages wait; or
    `restricted`. More values may be added.
    """
    reason: Literal["token_refused", "permission_missing", "policy_violation", "country_restricted", "account_locked", "payment_required", "not_registered", "name_not_approved", "disconnected", "account_disabled", "account_restricted", "alert", None]
    """The reason for `held` or `restricted`. More values may be added."""
    message: str | None
    """The channel's explanation."""
    since: str | None
    """When the account entered this state; null if it has always been in it."""
    quality: Literal["ok", "low", None]
    """The quality rating of the account's messages by the channel; null until the channel reports
    one. More values may be added.
    """
    limit: str | None
    """The number of contacts that the account may write to first in 24 hours, as the channel's
    name for the tier, such as `TIER_1K`; null until the channel reports it.
    """
    pace: float | None
    """The number of messages per second that the account sends since the channel slowed it down;
    null if it is not slowed down.
    """


@final
class AccountUpdatedEvent(TypedDict):
    """A number was held, restricted or released, or its quality rating or limit changed."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["account.updated"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: AccountData


@final
class ConversationData(TypedDict):
    """A conversation."""
    id: str
    """The id of the conversation."""
    account_id: str
    """The id of the account (the business's number)."""
    contact_id: str
    """The id of the contact."""
    phone_number: str | None
    """The contact's phone number; null until it is known."""
    channel_user_id: str | None
    """The channel's id of the contact; null until it is known."""
    ai_agent: Literal["running", "paused"]
    """Whether the AI agent replies from this event on: `running` or `paused`. More values may be added."""
    agent: ConversationAgent
    """The AI agent from this event on. The cause of a pause is null in an event of an earlier version."""
    created_at: str
    """When the conversation was created."""


@final
class ConversationCreatedEvent(TypedDict):
    """A conversation began, from either side."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["conversation.created"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: ConversationData


@final
class ConversationAgentPausedEvent(TypedDict):
    """The AI agent stopped answering in a conversation."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["conversation.agent_paused"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: ConversationData


@final
class ConversationAgentResumedEvent(TypedDict):
    """The AI agent answers in a conversation again."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["conversation.agent_resumed"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: ConversationData


@final
class ConversationUpdateData(TypedDict):
    """A conversation and the change of its status, assignee or labels."""
    id: str
    """The id of the conversation."""
    account_id: str
    """The id of the account (the business's number)."""
    contact_id: str
    """The id of the contact."""
    status: Literal["open", "waiting", "snoozed", "closed"]
    """The status in the inbox. More values may be added."""
    snoozed_until: str | None
    """When a snoozed conversation opens; null if it is not snoozed."""
    assignee_id: str | None
    """The id of the member who answers; null if there is none."""
    labels: list[str]
    """The labels, in alphabetical order."""
    needs_person_since: str | None
    """Since when a person of your organization has to answer; null if nobody has to."""
    agent: NotRequired[ConversationAgent | None]
    """The AI agent in this conversation after the change; omitted in an event of an earlier version."""
    changes: ConversationChanges
    """The fields that changed, with their values before and after."""


@final
class ConversationChangesStatus(TypedDict):
    previous: Literal["open", "waiting", "snoozed", "closed"]
    """The value before. More values may be added."""
    current: Literal["open", "waiting", "snoozed", "closed"]
    """The value after. More values may be added."""


@final
class ConversationChangesSnoozedUntil(TypedDict):
    previous: str | None
    """The value before."""
    current: str | None
    """The value after."""


@final
class ConversationChangesAssigneeId(TypedDict):
    previous: str | None
    """The value before."""
    current: str | None
    """The value after."""


@final
class ConversationChangesLabels(TypedDict):
    previous: list[str]
    """The value before."""
    current: list[str]
    """The value after."""


@final
class ConversationChangesNeedsPersonSince(TypedDict):
    previous: str | None
    """The value before."""
    current: str | None
    """The value after."""


@final
class ConversationChanges(TypedDict):
    """Changes of a conversation. Fields that did not change are omitted."""
    status: NotRequired[ConversationChangesStatus | None]
    """The value of a field before and after a change."""
    snoozed_until: NotRequired[ConversationChangesSnoozedUntil | None]
    """The value of a field before and after a change."""
    assignee_id: NotRequired[ConversationChangesAssigneeId | None]
    """The value of a field before and after a change."""
    labels: NotRequired[ConversationChangesLabels | None]
    """The value of a field before and after a change."""
    needs_person_since: NotRequired[ConversationChangesNeedsPersonSince | None]
    """The value of a field before and after a change."""


@final
class ConversationUpdatedEvent(TypedDict):
    """The status, the assignee or the labels of a conversation changed; changes holds the values before and after."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["conversation.updated"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: ConversationUpdateData


@final
class ClosingWindow(TypedDict):
    """A conversation whose customer service window is about to close."""
    id: str
    """The id of the conversation."""
    account_id: str
    """The id of the account (the business's number)."""
    contact_id: str
    """The id of the contact."""
    phone_number: str | None
    """The contact's phone number; null until it is known."""
    channel_user_id: str | None
    """The channel's id of the contact; null until it is known."""
    window_closes_at: str
    """When the customer service window closes."""


@final
class ConversationWindowClosingEvent(TypedDict):
    """The customer service window closes in an hour, and the person's last message has no answer."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["conversation.window_closing"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: ClosingWindow


@final
class NoteCreatedEvent(TypedDict):
    """A member, a program or an AI agent wrote a note about a conversation."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["note.created"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Note


@final
class HandoverRequest(TypedDict):
    """An AI agent's call for a person."""
    conversation_id: str
    """The id of the conversation."""
    agent_id: str | None
    """The id of the agent; null if no agent is set up on the number."""
    turn_id: str | None
    """The id of the turn in which the agent asked; null if it asked over the API."""
    reason: str
    """Why a person is needed."""
    summary: str | None
    """What the person needs to know."""


@final
class ConversationHandoverRequestedEvent(TypedDict):
    """The AI agent asked for a person to take a conversation over, and said why."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["conversation.handover_requested"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: HandoverRequest


@final
class Turn(TypedDict):
    """A turn of an AI agent that ended."""
    id: str
    """The id of the turn."""
    agent_id: str
    """The id of the agent."""
    conversation_id: str
    """The id of the conversation."""
    state: Literal["waiting", "asking", "answered", "drafted", "superseded", "handed_over", "silent", "failed", "skipped"]
    """How the turn ended. More values may be added."""
    reason: str | None
    """Why there is no answer; null if there is one."""
    message_ids: list[str]
    """The ids of the messages that were sent."""
    tokens: int | None
    """The number of tokens that a model used; null if that is unknown."""
    duration_ms: int | None
    """How long the agent took to answer, in milliseconds; null if it was not asked."""


@final
class AgentTurnFinishedEvent(TypedDict):
    """An AI agent answered, or did not; state and reason say how it ended."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["agent.turn_finished"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Turn


@final
class ContactCreatedEvent(TypedDict):
    """A contact was created."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["contact.created"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Contact


@final
class ContactUpdateData(TypedDict):
    """A contact whose details changed."""
    id: str
    """The id of the contact."""
    account_id: str
    """The id of the account (the business's number)."""
    phone_number: str | None
    """The phone number. Null until it is known: since 2026, people may show a username instead."""
    channel_user_id: str | None
    """The channel's id of the contact, the same for all numbers of a business portfolio. Null
    until it is known.
    """
    channel_parent_user_id: str | None
    """The channel's id of the contact that linked portfolios share. Null until it is known."""
    username: str | None
    """The username. Null until it is known."""
    name: str | None
    """The name that the contact chose. Null until it is known."""
    opted_out_at: str | None
    """When the contact opted out of marketing messages; null if they have not."""
    created_at: str
    """When the contact was created."""
    previous: PreviousContact
    """The previous values of the fields that changed."""


@final
class PreviousContact(TypedDict):
    """The previous values of a contact. Fields that did not change are omitted."""
    phone_number: NotRequired[str | None]
    """The previous phone number; null if it was not known."""
    channel_user_id: NotRequired[str | None]
    """The previous channel id of the contact; null if it was not known."""
    channel_parent_user_id: NotRequired[str | None]
    """The previous id that linked portfolios share; null if it was not known."""
    username: NotRequired[str | None]
    """The previous username; null if it was not known."""
    name: NotRequired[str | None]
    """The previous name; null if it was not known."""
    opted_out_at: NotRequired[str | None]
    """When the contact had opted out of marketing messages; null if they had not."""


@final
class ContactUpdatedEvent(TypedDict):
    """A contact has another phone number, user id, username or name; previous holds what it was before."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["contact.updated"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: ContactUpdateData


@final
class ContactOptedOutEvent(TypedDict):
    """A person wants no marketing: templates of that category to them are refused."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["contact.opted_out"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Contact


@final
class ContactOptedInEvent(TypedDict):
    """A person who had opted out of marketing wants it again."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["contact.opted_in"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: Contact


@final
class ContactMergeData(TypedDict):
    """Two contacts that were merged because they are the same person. The ids of both contacts and of
    both conversations remain valid.
    """
    contact_id: str
    """The id of the contact that remains."""
    merged_contact_id: str
    """The id of the contact that was merged into it."""
    conversation_id: str
    """The id of the conversation that remains."""
    merged_conversation_id: str
    """The id of the conversation that was merged into it."""


@final
class ContactMergedEvent(TypedDict):
    """Two contacts turned out to be one person: the messages of one joined the conversation of the other."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["contact.merged"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: ContactMergeData


@final
class ContactDeletionData(TypedDict):
    """A contact that was deleted. Both ids remain valid."""
    contact_id: str
    """The id of the contact."""
    conversation_id: str
    """The id of the conversation with the contact."""


@final
class ContactDeletedEvent(TypedDict):
    """A contact was deleted: texts, files, names and numbers of this person are gone within a minute."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["contact.deleted"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: ContactDeletionData


@final
class ConnectionData(TypedDict):
    """A connection of an application."""
    id: str
    """The id of the connection."""
    application: ApplicationData
    """The application."""
    client_id: str
    """The client id of the connection's key."""
    account_id: str | None
    """The account that the connection is bound to; null if it is not bound."""
    scopes: list[Literal["messages.send", "templates.read", "templates.write", "conversations.read", "conversations.write", "contacts.delete", "agent.reply", "media.write", "webhooks.manage"]]
    """The permissions (scopes) that the connection was granted."""
    connected_at: str
    """When the connection was created."""
    disconnected_at: NotRequired[str | None]
    """When the connection ended; omitted if it has not."""
    reason: NotRequired[Literal["business", "application", "superseded", "revoked", None]]
    """Who or what ended the connection; omitted if it has not ended. More values may be added."""


@final
class ApplicationData(TypedDict):
    """The application of a connection."""
    client_id: str
    """The client id of the application."""
    name: str
    """The name of the application."""


@final
class ConnectionCreatedEvent(TypedDict):
    """An application was connected through Connect."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["connection.created"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: ConnectionData


@final
class ConnectionDisconnectedEvent(TypedDict):
    """A connection ended. The reason is business, application, superseded or revoked."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["connection.disconnected"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: ConnectionData


@final
class LimitData(TypedDict):
    """A limit of the plan."""
    resource: Literal["api_calls", "messages", "connection_messages"]
    """The limited resource: API requests per day, or messages per month. More values may be added."""
    limit: int | None
    """The limit."""
    used: int
    """The amount that has been used."""
    resets_at: str
    """When the usage is reset."""


@final
class PlanLimitReachedEvent(TypedDict):
    """A limit of the plan was reached: calls or messages are refused."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["plan.limit_reached"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: LimitData


@final
class KeyExpiryData(TypedDict):
    """The key of a connection that ends soon."""
    id: str
    """The id of the key."""
    client_id: str
    """The client id of the key."""
    name: str
    """The name of the key, which is that of the application."""
    connection_id: str
    """The id of the connection that the key belongs to."""
    expires_at: str
    """When the key ends. Calls with it are refused from then on."""


@final
class KeyExpiringEvent(TypedDict):
    """The key of a connection ends in seven days, at the date that the business set."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["key.expiring"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: KeyExpiryData


@final
class EndpointHealthData(TypedDict):
    """A webhook endpoint whose health changed."""
    id: str
    """The id of the endpoint."""
    url: str
    """The URL that events are posted to."""
    description: str | None
    """The purpose of the endpoint; null if none was given."""
    state: Literal["enabled", "disabled"]
    """Whether the endpoint gets events. More values may be added."""
    disabled_reason: Literal["by_member", "gone", "failing", None]
    """Why the endpoint is disabled; null if it is not. More values may be added."""
    disabled_at: str | None
    """When the endpoint was disabled; null if it is not."""
    failing_since: str | None
    """Since when every attempt has failed; null if the last one succeeded."""


@final
class EndpointFailingEvent(TypedDict):
    """Every attempt to deliver events to a webhook endpoint has failed for a minute. The endpoint itself does not receive this event."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["endpoint.failing"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: EndpointHealthData


@final
class EndpointDisabledEvent(TypedDict):
    """A webhook endpoint was disabled: by a member, because it answered 410, or after five days of failures. The endpoint itself does not receive this event."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["endpoint.disabled"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: EndpointHealthData


@final
class EndpointRecoveredEvent(TypedDict):
    """A webhook endpoint that failed or was disabled accepts events again."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["endpoint.recovered"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: EndpointHealthData


@final
class EndpointData(TypedDict):
    """The webhook endpoint that is tested."""
    endpoint_id: str
    """The id of the endpoint."""
    message: str
    """A sentence that explains the event."""


@final
class WebhookTestEvent(TypedDict):
    """Sent from the dashboard to test an endpoint."""
    id: str
    """The id of the event, the same in every delivery."""
    type: Literal["webhook.test"]
    """The kind of event."""
    timestamp: str
    """When the event was recorded."""
    organization_id: str
    """The organization that the event belongs to."""
    account_id: str | None
    """The account that the event concerns; null if it concerns none or several."""
    connection_id: NotRequired[str]
    """The connection that the event concerns, or through which an application receives it; omitted otherwise."""
    sequence: int
    """The position of the event among the organization's events, from 1 and without gaps."""
    data: EndpointData


@final
class CursorPagination(TypedDict):
    """An older form of `has_more` and `next_after`, with the `limit` and the `after` of the request. It
    stays for clients that read it.

    There is no `offset`, because entries are added and the oldest are deleted while you read: an
    offset would skip some entries and repeat others. There is no `total`, because it would need a
    count of all entries.
    """
    limit: int
    """The `limit` of the request."""
    after: int
    """The `after` of the request."""
    has_more: bool
    """Whether there are more entries after this page."""
    next_after: int
    """The value of `after` for the next request."""


@final
class Resend(TypedDict):
    """Events that somebody asked to get again, by resending a delivery of an endpoint or replaying a
    period. They can be read again by their sequences.
    """
    number: int
    """The number of the request, to pass as `resends_after`."""
    first_sequence: int
    """The sequence of the first event."""
    last_sequence: int
    """The sequence of the last event."""


@final
class SandboxInboundMessage(TypedDict):
    """A message that the simulated customer wrote."""
    id: str
    """The id that the message has in history and in `message.received`, within a second."""
    status: Literal["received"]
    """Always `received`."""
    account_id: str
    """The id of the account (the business's number) that the customer writes to."""
    phone_number: str
    """The customer's phone number."""


@final
class WebhookEndpointPage(TypedDict):
    """A page of webhook endpoints, the oldest first."""
    data: list[WebhookEndpoint]
    """The endpoints."""
    has_more: bool
    """Whether there may be more entries after this page."""
    next_after: str | None
    """The value of `after` for the next page. If the list ends with this page, it is null."""


@final
class WebhookEndpoint(TypedDict):
    """A webhook endpoint."""
    id: str
    """The id of the endpoint."""
    url: str
    """The URL that events are posted to."""
    description: str | None
    """The purpose of the endpoint; null if none was given."""
    events: list[str]
    """The types of events that the endpoint gets; `["*"]` for all, including types that are added
    later.
    """
    state: Literal["enabled", "disabled"]
    """Whether the endpoint gets events. More values may be added."""
    disabled_reason: Literal["by_member", "gone", "failing", None]
    """Why the endpoint is disabled; null if it is not. More values may be added."""
    disabled_at: str | None
    """When the endpoint was disabled; null if it is not."""
    failing_since: str | None
    """Since when every attempt has failed; null if the last one succeeded."""
    created_at: str
    """When the endpoint was created."""


@final
class WebhookEndpointWithSecret(TypedDict):
    """A webhook endpoint with its secret, which is shown only here."""
    id: str
    """The id of the endpoint."""
    url: str
    """The URL that events are posted to."""
    description: str | None
    """The purpose of the endpoint; null if none was given."""
    events: list[str]
    """The types of events that the endpoint gets; `["*"]` for all, including types that are added
    later.
    """
    state: Literal["enabled", "disabled"]
    """Whether the endpoint gets events. More values may be added."""
    disabled_reason: Literal["by_member", "gone", "failing", None]
    """Why the endpoint is disabled; null if it is not. More values may be added."""
    disabled_at: str | None
    """When the endpoint was disabled; null if it is not."""
    failing_since: str | None
    """Since when every attempt has failed; null if the last one succeeded."""
    created_at: str
    """When the endpoint was created."""
    secret: str
    """The secret that signs the requests (Standard Webhooks). It is shown only here."""


@final
class WebhookDelivery(TypedDict):
    """An event on its way to a webhook endpoint."""
    id: str
    """The id of the delivery."""
    event_id: str
    """The id of the event."""
    type: Literal["message.received", "message.queued", "message.sent", "message.delivered", "message.read", "message.failed", "message.edited", "message.deleted", "message.transcribed", "message.canceled", "template.submitted", "template.approved", "template.rejected", "template.paused", "template.disabled", "template.archived", "template.deleted", "template.updated", "account.updated", "conversation.created", "conversation.agent_paused", "conversation.agent_resumed", "conversation.updated", "conversation.window_closing", "note.created", "conversation.handover_requested", "agent.turn_finished", "contact.created", "contact.updated", "contact.opted_out", "contact.opted_in", "contact.merged", "contact.deleted", "connection.created", "connection.disconnected", "plan.limit_reached", "key.expiring", "endpoint.failing", "endpoint.disabled", "endpoint.recovered", "webhook.test"]
    """The type of the event. More values may be added."""
    status: Literal["pending", "retrying", "failed", "succeeded"]
    """The result so far. More values may be added."""
    attempts: int
    """Number of attempts so far."""
    last_status: int | None
    """The HTTP status of the last answer; null if there was none."""
    last_error: str | None
    """Why the last attempt got no answer, in words; null if it got one, or if there was no attempt."""
    next_attempt_at: str | None
    """When the next attempt is due; null if there is none."""
    created_at: str
    """When the delivery was created."""
    completed_at: str | None
    """When the delivery succeeded or failed for good; null until then."""


@final
class WebhookDeliveryPage(TypedDict):
    """A page of deliveries, newest first."""
    data: list[WebhookDelivery]
    """The deliveries."""
    has_more: bool
    """Whether there may be more entries after this page."""
    next_after: str | None
    """The value of `after` for the next page. If the list ends with this page, it is null."""


@final
class Replay(TypedDict):
    """A replay that has begun."""
    events: int
    """The number of events in the period. Those that the endpoint selects are delivered again."""


@final
class DeletedWebhookEndpoint(TypedDict):
    """A webhook endpoint that was deleted."""
    id: str
    """The id of the endpoint."""
    deleted: bool
    """Always true."""


@final
class AccountPage(TypedDict):
    """A page of accounts, in the order in which they were connected."""
    data: list[Account]
    """The accounts."""
    has_more: bool
    """Whether there may be more entries after this page."""
    next_after: str | None
    """The value of `after` for the next page. If the list ends with this page, it is null."""


@final
class Account(TypedDict):
    """An account: a number of the business that is connected to a channel."""
    id: str
    """The id of the account."""
    phone_number: str
    """The phone number."""
    display_name: str
    """The name that recipients see."""
    channel: Literal["sandbox", "cloud_api", "twilio"]
    """The channel behind the account. More values may be added."""
    default: bool
    """Whether keys that are not bound to an account send from this one."""
    health: AccountHealth
    """Whether the account can send messages."""


@final
class Me(TypedDict):
    """The current key."""
    key: CurrentKey
    """The key that authenticated the request."""
    organization: CurrentOrganization
    """The organization that the key belongs to."""
    account: CurrentAccount | None
    """The account that the key sends from; null if the organization has none."""
    plan: CurrentPlan
    """The organization's plan and its usage."""
    application: CurrentApplication | None
    """The application; null unless the key was created by Connect."""
    connection: CurrentConnection | None
    """The connection; null unless the key was created by Connect."""


@final
class CurrentKey(TypedDict):
    """A key."""
    id: str
    """The id of the key."""
    name: str
    """The name of the key."""
    client_id: str
    """The client id of the key."""
    type: Literal["manual", "connection"]
    """How the key was created: `manual` by a member, `connection` by Connect. More values may be added."""
    scopes: list[Literal["messages.send", "templates.read", "templates.write", "conversations.read", "conversations.write", "contacts.delete", "agent.reply", "media.write", "webhooks.manage"]]
    """The permissions (scopes) that the key was granted."""
    rate_limit: int
    """The rate limit in requests per minute; 0 means unlimited."""
    created_at: str
    """When the key was created."""
    last_used_at: str | None
    """When the key was last used, which is the time of this request."""


@final
class CurrentOrganization(TypedDict):
    """An organization."""
    id: str
    """The id of the organization."""
    name: str
    """The name of the organization."""


@final
class CurrentAccount(TypedDict):
    """An account: a number of the business that is connected to a channel."""
    id: str
    """The id of the account."""
    phone_number: str
    """The phone number."""
    display_name: str
    """The name that recipients see."""
    binding: Literal["bound", "default"]
    """Whether the account is `bound` to the key, or the organization's `default`. More values may be added."""
    health: AccountHealth
    """Whether the account can send messages."""


@final
class CurrentPlan(TypedDict):
    """A plan and its usage."""
    name: str | None
    """The name of the plan; null without a plan."""
    status: Literal["active", "past_due", "canceled", "none"]
    """The status of the subscription. More values may be added."""
    api_calls: Usage
    """The usage of API requests per day."""
    messages: Usage
    """The usage of messages per month."""


@final
class Usage(TypedDict):
    """The usage of a limit."""
    limit: int | None
    """The limit; null means unlimited."""
    used: int
    """The amount that has been used."""
    resets_at: str
    """When the usage is reset."""


@final
class CurrentApplication(TypedDict):
    """An application."""
    client_id: str
    """The client id of the application."""
    name: str
    """The name of the application."""


@final
class CurrentConnection(TypedDict):
    """A connection."""
    id: str
    """The id of the connection."""
    connected_at: str
    """When the connection was created."""
    expires_at: str | None
    """When the key ends, as the business decided; null if it has no end."""
    messages: Usage
    """The messages that the business allows this connection per month. They are counted only if
    there is a limit.
    """


@final
class Disconnected(TypedDict):
    """A connection that has ended."""
    status: Literal["disconnected"]
    """Always `disconnected`."""
    client_id: str
    """The client id, which is no longer valid."""
    disconnected_at: str
    """When the connection ended."""


@final
class RevokedConnections(TypedDict):
    """The connections that were revoked."""
    revoked: int
    """The number of connections."""
    dry_run: bool
    """Whether this was a dry run, which changes nothing."""


@final
class SendMessageChannel(TypedDict):
    type: str


SendMessage = TypedDict("SendMessage", {
    "type": "Literal[\"text\", \"media\", \"interactive\", \"template\", \"location\", \"contacts\", \"reaction\", \"channel\"]",
    "phone_number": "NotRequired[str]",
    "channel_user_id": "NotRequired[str]",
    "contact_id": "NotRequired[str]",
    "conversation_id": "NotRequired[str]",
    "text": "NotRequired[str]",
    "preview_url": "NotRequired[bool]",
    "media_url": "NotRequired[str]",
    "media_type": "NotRequired[Literal[\"image\", \"video\", \"audio\", \"document\", \"sticker\"]]",
    "caption": "NotRequired[str]",
    "filename": "NotRequired[str]",
    "voice": "NotRequired[bool]",
    "interactive": "NotRequired[Interactive]",
    "template_name": "NotRequired[str]",
    "language": "NotRequired[str]",
    "components": "NotRequired[list[TemplateComponentInput]]",
    "location": "NotRequired[Location]",
    "contacts": "NotRequired[list[ContactCard]]",
    "reaction": "NotRequired[Reaction]",
    "channel": "NotRequired[SendMessageChannel]",
    "reply_to": "NotRequired[str]",
    "client_ref": "NotRequired[str]",
    "metadata": "NotRequired[dict[str, str]]",
    "as": "NotRequired[Literal[\"agent\"]]",
    "after_message_id": "NotRequired[str]",
    "agent": "NotRequired[Literal[\"paused\"]]",
    "send_at": "NotRequired[str]",
    "fallback_template": "NotRequired[FallbackTemplate]",
    "dry_run": "NotRequired[bool]",
})
"""A message to send."""


@final
class TemplateComponentInput(TypedDict):
    """The parameters of one component of a template."""
    type: Literal["header", "body", "button", "limited_time_offer", "order_status", "tap_target_configuration", "carousel"]
    """The type of component that the parameters are for."""
    sub_type: NotRequired[Literal["quick_reply", "url", "copy_code", "flow", "catalog", "mpm", "spm", "voice_call", "video_call", "order_details", "payment_request", "reminder", "booking_status", "phone_number", "request_contact_info", "app", "postback"]]
    """For a button: the type of the button."""
    index: NotRequired[str]
    """For a button: its index, from `0` to `9`. A number is accepted too. Optional for `voice_call`."""
    parameters: NotRequired[list[TemplateParameter]]
    """The values of the variables, in order."""
    cards: NotRequired[list[CardComponentsInput]]
    """For `carousel`: the parameters of each card."""


@final
class CardComponentsInput(TypedDict):
    """The parameters of one card of a carousel."""
    card_index: int
    """The index of the card, from 0 to 9."""
    components: list[TemplateComponentInput]
    """The parameters of the card's components."""


@final
class ContactCardName(TypedDict):
    formatted_name: str
    """The full name."""
    first_name: NotRequired[str]
    """The first name."""
    last_name: NotRequired[str]
    """The last name."""
    middle_name: NotRequired[str]
    """The middle name."""
    suffix: NotRequired[str]
    """The suffix, such as `Jr`."""
    prefix: NotRequired[str]
    """The prefix, such as `Dr`."""


@final
class ContactCard(TypedDict):
    """A contact card: a person or a business, as in an address book."""
    name: ContactCardName
    """The name."""
    phones: NotRequired[list[ContactCardPhone]]
    """The phone numbers."""
    emails: NotRequired[list[ContactCardEmail]]
    """The email addresses."""
    urls: NotRequired[list[ContactCardUrl]]
    """The web addresses."""
    addresses: NotRequired[list[ContactCardAddress]]
    """The postal addresses."""
    org: NotRequired[ContactCardOrganization]
    """The organization that the person works for."""
    birthday: NotRequired[str]
    """The date of birth, such as `2012-08-18`."""


@final
class ContactCardPhone(TypedDict):
    """A phone number."""
    phone: NotRequired[str]
    """The phone number, in any format. Required if there is no `wa_id`."""
    type: NotRequired[str]
    """The type, such as `HOME` or `WORK`."""
    wa_id: NotRequired[str]
    """The channel's id of the person. With it, the card offers to send them a message."""


@final
class ContactCardEmail(TypedDict):
    """An email address."""
    email: str
    """The email address."""
    type: NotRequired[str]
    """The type, such as `HOME` or `WORK`."""


@final
class ContactCardUrl(TypedDict):
    """A web address."""
    url: str
    """The URL."""
    type: NotRequired[str]
    """The type, such as `HOME` or `WORK`."""


@final
class ContactCardAddress(TypedDict):
    """A postal address."""
    street: NotRequired[str]
    """The street and house number."""
    city: NotRequired[str]
    """The city."""
    state: NotRequired[str]
    """The state."""
    zip: NotRequired[str]
    """The ZIP code."""
    country: NotRequired[str]
    """The country."""
    country_code: NotRequired[str]
    """The two-letter country code (ISO 3166)."""
    type: NotRequired[str]
    """The type, such as `HOME` or `WORK`."""


@final
class ContactCardOrganization(TypedDict):
    """The organization that a person works for."""
    company: NotRequired[str]
    """The company."""
    department: NotRequired[str]
    """The department."""
    title: NotRequired[str]
    """The job title."""


@final
class Reaction(TypedDict):
    """A reaction: an emoji on a message of the same conversation."""
    message_id: str
    """The id of the message to react to, which either side may have written."""
    emoji: str
    """One emoji. An empty string removes an earlier reaction."""


@final
class FallbackTemplate(TypedDict):
    """A template that is sent if a free-form message cannot be."""
    template_name: str
    """The template's name."""
    language: str
    """The template's language, such as `en` or `en_US`."""
    components: NotRequired[list[TemplateComponentInput]]
    """The template's parameters."""


@final
class SendTemplate(TypedDict):
    """A template to send."""
    to: str
    """The recipient's phone number; a new one creates a contact and a conversation."""
    template_name: str
    """The template's name."""
    language: str
    """The template's language, such as `en` or `en_US`."""
    components: NotRequired[list[TemplateComponentInput]]
    """The template's parameters."""
    reply_to: NotRequired[str]
    """The id of the message to reply to, in the same conversation."""
    client_ref: NotRequired[str]
    """Your own reference for the message; it is included in history and events."""
    metadata: NotRequired[dict[str, str]]
    """Your own key-value pairs."""
    agent: NotRequired[Literal["paused"]]
    """`paused` to pause the AI agent with this message, so that people answer what comes back."""
    send_at: NotRequired[str]
    """When to send the message, at most 30 days ahead. Until then its status is `scheduled`, and it can be canceled."""
    dry_run: NotRequired[bool]
    """Whether to only validate the request: nothing is sent, stored or counted as a message."""


@final
class SendBatch(TypedDict):
    """Messages to send together."""
    messages: list[SendMessage]
    """The messages, each as for sending one message. `as` is not allowed."""


@final
class ReadMessage(TypedDict):
    """Options of a read receipt."""
    typing: NotRequired[bool]
    """Whether to show the contact a typing indicator, for up to 25 seconds or until your answer
    arrives.
    """


@final
class CreateTemplate(TypedDict):
    """A template to create."""
    name: str
    """The name, of the characters `a-z`, `0-9` and `_`. The name and the language together
    identify the template.
    """
    language: str
    """The language, such as `en` or `en_US`."""
    category: Literal["utility", "marketing", "authentication"]
    """The category."""
    parameter_format: NotRequired[Literal["positional", "named"]]
    """The format of the variables: `positional` for `{{1}}`, which is the default, or `named` for
    `{{first_name}}`.
    """
    components: list[TemplatePartInput]
    """The components: one BODY, and at most one of each other type."""
    message_send_ttl_seconds: NotRequired[int]
    """The time to live of a message with this template, in seconds: 30 to 900 for
    `authentication`, 30 to 43200 for `utility`, 43200 to 2592000 for `marketing`. For the first
    two, -1 is allowed too and means 30 days.
    """
    dry_run: NotRequired[bool]
    """Whether to only validate the template: nothing is stored or submitted."""


@final
class TemplatePartInput(TypedDict):
    """A component of a template."""
    type: str
    """The type of the component: `HEADER`, `BODY`, `FOOTER`, `BUTTONS`, `CAROUSEL` or
    `LIMITED_TIME_OFFER`. A type that this version does not know is passed to the reviewer, with
    a warning.
    """
    format: NotRequired[str]
    """For a header: the format, `TEXT`, `IMAGE`, `VIDEO`, `GIF`, `DOCUMENT`, `LOCATION` or
    `PRODUCT`.
    """
    text: NotRequired[str]
    """The text with its variables: at most 1024 characters in a body, 60 in a header or a footer."""
    example: NotRequired[TemplateExampleInput]
    """Examples for the variables, for the reviewer."""
    buttons: NotRequired[list[TemplateButton]]
    """The buttons, 1 to 10."""
    add_security_recommendation: NotRequired[bool]
    """For the body of a one-time code, which has no text of its own: whether to warn against
    sharing the code.
    """
    code_expiration_minutes: NotRequired[int]
    """For the footer of a one-time code: the number of minutes after which the code expires."""
    limited_time_offer: NotRequired[LimitedTimeOffer]
    """For `LIMITED_TIME_OFFER`: the offer."""
    cards: NotRequired[list[TemplateCardInput]]
    """For `CAROUSEL`: 2 to 10 cards with the same components."""


@final
class TemplateExampleInput(TypedDict):
    """Examples for the variables of a component."""
    header_text: NotRequired[list[str]]
    """The example for the variable of a header."""
    body_text: NotRequired[list[list[str]]]
    """The examples for the variables of a body, in order: a list that contains one list."""
    header_handle: NotRequired[list[str]]
    """For a header with a file: the channel's handle of a sample file."""
    header_text_named_params: NotRequired[list[NamedExampleInput]]
    """The example for the named variable of a header."""
    body_text_named_params: NotRequired[list[NamedExampleInput]]
    """The examples for the named variables of a body."""


@final
class NamedExampleInput(TypedDict):
    """An example for a named variable."""
    param_name: NotRequired[str]
    """The name of the variable."""
    example: NotRequired[str]
    """The example value."""


@final
class TemplateCardInput(TypedDict):
    """A card of a carousel."""
    components: list[TemplatePartInput]
    """The components of the card: a HEADER with an image, a video or a product, a BODY except for
    a product, and BUTTONS.
    """


@final
class UpdateTemplate(TypedDict):
    """The fields to change, at least one. Fields that are omitted stay as they are."""
    category: NotRequired[Literal["utility", "marketing", "authentication"]]
    """The category."""
    components: NotRequired[list[TemplatePartInput]]
    """The components, which replace all that the template has."""


@final
class UploadMedia(TypedDict):
    """A file to upload."""
    data: str
    """The file in canonical base64, or as a `data:` URI of the same type."""
    content_type: Literal["image/jpeg", "image/png", "image/webp", "audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg", "video/mp4", "video/3gpp", "application/pdf", "text/plain", "text/csv", "application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "application/vnd.openxmlformats-officedocument.presentationml.presentation"]
    """The content type, which must match the content of the file."""
    filename: NotRequired[str]
    """The file name. Derived from the content type if omitted."""


@final
class History(TypedDict):
    """The conversation whose history to return, and the page."""
    phone_number: NotRequired[str]
    """The contact's phone number. Set exactly one of `phone_number`, `channel_user_id`,
    `contact_id` and `conversation_id`.
    """
    channel_user_id: NotRequired[str]
    """The channel's id of the contact, for contacts whose phone number may not be known (since
    2026).
    """
    contact_id: NotRequired[str]
    """The id of the contact."""
    conversation_id: NotRequired[str]
    """The id of the conversation."""
    limit: NotRequired[int]
    """Maximum number of entries to return."""
    offset: NotRequired[int]
    """Number of entries to skip."""
    order: NotRequired[Literal["asc", "desc"]]
    """`desc` returns the newest messages first, `asc` the oldest."""


@final
class UpdateContact(TypedDict):
    """The fields to change. Fields that are omitted stay as they are."""
    name: NotRequired[str | None]
    """The name. Null for the name that the contact has on the channel, from their next message on."""


@final
class UpdateConversation(TypedDict):
    """The fields to change. Fields that are omitted stay as they are."""
    status: NotRequired[Literal["open", "waiting", "snoozed", "closed"]]
    """The status."""
    snoozed_until: NotRequired[str]
    """When the conversation opens again, at most 365 days ahead. Required with the status `snoozed`."""
    assignee_id: NotRequired[str | None]
    """The id of the member to assign the conversation to; null for nobody."""
    labels: NotRequired[list[str]]
    """The labels, which replace all present labels. A label has 1 to 50 characters."""


@final
class PauseAgent(TypedDict):
    """Why, and until when, the agent is paused."""
    reason: NotRequired[str]
    """The reason, for your colleagues."""
    until: NotRequired[str]
    """When the pause ends by itself, at most 365 days ahead. Without it the pause lasts until somebody
    resumes the agent.
    """


@final
class HandOver(TypedDict):
    """Why people have to take a conversation over."""
    reason: NotRequired[str]
    """Why a person is needed."""
    summary: NotRequired[str]
    """What the person needs to know."""


CreateNote = TypedDict("CreateNote", {
    "text": "str",
    "as": "NotRequired[Literal[\"agent\"]]",
})
"""A note."""


@final
class SandboxInbound(TypedDict):
    """What the customer does. Set exactly one of `text`, `media_url` and `button`."""
    phone_number: str
    """The customer's phone number; a new one creates a contact and a conversation."""
    text: NotRequired[str]
    """The text that the customer writes."""
    media_url: NotRequired[str]
    """The URL of the file that the customer sends: one that an upload returned, or a public https URL."""
    media_type: NotRequired[Literal["image", "video", "audio", "document", "sticker"]]
    """The kind of file. With `media_url`; required if the URL does not end with a known file extension."""
    caption: NotRequired[str]
    """The caption below the file. With `media_url`, except for audio and stickers."""
    filename: NotRequired[str]
    """The name of the document. With `media_url`."""
    voice: NotRequired[bool]
    """Whether the audio is a voice message. With `media_url`."""
    button: NotRequired[TappedButton]
    """The button or row that the customer taps."""


@final
class TappedButton(TypedDict):
    """A button or a row of a message that was sent."""
    message_id: str
    """The id of the interactive message."""
    id: str
    """The id of the button or the row."""


@final
class CreateWebhookEndpoint(TypedDict):
    """A webhook endpoint."""
    url: str
    """The URL that events are posted to."""
    description: NotRequired[str]
    """The purpose of the endpoint, for your colleagues."""
    events: NotRequired[list[str]]
    """The types of events to send; `["*"]`, which is the default, for all."""


@final
class UpdateWebhookEndpoint(TypedDict):
    """The fields to change. Fields that are omitted stay as they are."""
    url: NotRequired[str]
    """The URL that events are posted to."""
    description: NotRequired[str]
    """The purpose of the endpoint; an empty text removes it."""
    events: NotRequired[list[str]]
    """The types of events to send; `["*"]` for all."""
    state: NotRequired[Literal["enabled", "disabled"]]
    """Whether the endpoint receives events. Events that occur while it is disabled are delivered once
    it is enabled, as long as they are kept.
    """


@final
class ReplayEvents(TypedDict):
    """The period."""
    since: str
    """Replay the events from this time on."""
    until: NotRequired[str]
    """Replay the events before this time; now, if omitted."""


@final
class RevokeConnections(TypedDict):
    """The reason, and whether to only count the connections."""
    reason: NotRequired[str]
    """The reason, which is shown to the businesses."""
    dry_run: NotRequired[bool]
    """Whether to only count the connections, without revoking them."""


@final
class Error(TypedDict):
    """An error. An error with further fields has a schema of its own."""
    error: str
    """A human-readable message."""
    code: Literal["invalid_json", "bad_request", "invalid_credentials", "invalid_signature", "key_is_bound", "not_found", "method_not_allowed", "invalid_verify_token", "idempotency_in_progress", "template_exists", "agent_paused", "turn_answered", "not_cancelable", "too_many_endpoints", "not_a_connection", "turn_expired", "unsupported_media_type", "range_not_satisfiable", "phone_number_required", "recipient_opted_out", "invalid_base64", "content_type_mismatch", "idempotency_key_reused", "no_messaging_account", "too_many_exports", "internal_error", "unavailable"]
    """A machine-readable error code. More values may be added."""
    request_id: str
    """The request id; quote it when you contact support. Also in `X-Request-Id`."""


@final
class SubscriptionRequiredError(TypedDict):
    """The organization has no active subscription."""
    error: str
    """A human-readable message."""
    code: Literal["subscription_required"]
    """A machine-readable error code."""
    request_id: str
    """The request id; quote it when you contact support. Also in `X-Request-Id`."""
    resource: Literal["subscription"]
    """The missing part: `subscription` or `api_access`."""
    upgrade_url: str
    """The page on which the organization changes its plan."""


@final
class PlanUpgradeRequiredError(TypedDict):
    """The organization's plan does not include API access."""
    error: str
    """A human-readable message."""
    code: Literal["plan_upgrade_required"]
    """A machine-readable error code."""
    request_id: str
    """The request id; quote it when you contact support. Also in `X-Request-Id`."""
    resource: Literal["api_access"]
    """The missing part: `subscription` or `api_access`."""
    upgrade_url: str
    """The page on which the organization changes its plan."""


@final
class PlanLimitExceededError(TypedDict):
    """A limit of the plan is reached."""
    error: str
    """A human-readable message."""
    code: Literal["plan_limit_exceeded"]
    """A machine-readable error code."""
    request_id: str
    """The request id; quote it when you contact support. Also in `X-Request-Id`."""
    resource: Literal["api_calls", "messages", "connection_messages"]
    """The limit that was reached: API requests per day, or messages per month. More values may be added."""
    upgrade_url: str
    """The page on which the organization changes its plan."""
    limit: int
    """The limit."""
    used: int
    """The number of requests or messages used."""
    resets_at: str
    """The time at which the limit resets."""


@final
class InsufficientScopeError(TypedDict):
    """The key does not have the scope that the endpoint requires."""
    error: str
    """A human-readable message."""
    code: Literal["insufficient_scope"]
    """A machine-readable error code."""
    request_id: str
    """The request id; quote it when you contact support. Also in `X-Request-Id`."""
    required_scope: Literal["messages.send", "templates.read", "templates.write", "conversations.read", "conversations.write", "contacts.delete", "agent.reply", "media.write", "webhooks.manage"]
    """The scope that the endpoint requires. More values may be added."""
    granted_scopes: list[Literal["messages.send", "templates.read", "templates.write", "conversations.read", "conversations.write", "contacts.delete", "agent.reply", "media.write", "webhooks.manage"]]
    """The scopes that the key has."""


@final
class TemplateLockedError(TypedDict):
    """The template cannot be changed or deleted now, or the reviewer refused it."""
    error: str
    """A human-readable message."""
    code: Literal["template_locked"]
    """A machine-readable error code."""
    request_id: str
    """The request id; quote it when you contact support. Also in `X-Request-Id`."""
    template_status: Literal["draft", "pending", "approved", "rejected", "paused", "disabled", "archived", "deleted"]
    """The template's status. More values may be added."""
    reviewer_message: str | None
    """What the reviewer said, if the reviewer refused."""


@final
class SupersededError(TypedDict):
    """The contact has written again, so the AI agent's answer was not sent."""
    error: str
    """A human-readable message."""
    code: Literal["superseded"]
    """A machine-readable error code."""
    request_id: str
    """The request id; quote it when you contact support. Also in `X-Request-Id`."""
    newest_message_id: str
    """The id of the contact's newest message."""


@final
class PayloadTooLargeError(TypedDict):
    """The body is larger than allowed."""
    error: str
    """A human-readable message."""
    code: Literal["payload_too_large"]
    """A machine-readable error code."""
    request_id: str
    """The request id; quote it when you contact support. Also in `X-Request-Id`."""
    limit_bytes: int
    """The maximum number of bytes."""


@final
class MediaTooLargeError(TypedDict):
    """The file is larger than the limit for its type."""
    error: str
    """A human-readable message."""
    code: Literal["media_too_large"]
    """A machine-readable error code."""
    request_id: str
    """The request id; quote it when you contact support. Also in `X-Request-Id`."""
    limit_bytes: int
    """The maximum number of bytes."""


@final
class ValidationFailedErrorDetails(TypedDict):
    field: str
    """The path of the field, such as `interactive.action.buttons[0].reply.title`; empty for the
    request as a whole.
    """
    code: Literal["required", "unknown_field", "wrong_type", "empty", "too_long", "out_of_range", "not_one_of", "invalid_format", "duplicate", "not_allowed"]
    """A machine-readable error code. More values may be added."""
    message: str
    """The text of the error, such as `must not be empty`."""


@final
class ValidationFailedError(TypedDict):
    """Fields are missing, unknown or out of bounds; `details` lists every error."""
    error: str
    """A human-readable message."""
    code: Literal["validation_failed"]
    """A machine-readable error code."""
    request_id: str
    """The request id; quote it when you contact support. Also in `X-Request-Id`."""
    details: list[ValidationFailedErrorDetails]
    """All errors."""


@final
class TemplateNotApprovedError(TypedDict):
    """The template is not approved, so nothing was sent."""
    error: str
    """A human-readable message."""
    code: Literal["template_not_approved"]
    """A machine-readable error code."""
    request_id: str
    """The request id; quote it when you contact support. Also in `X-Request-Id`."""
    template_status: Literal["draft", "pending", "approved", "rejected", "paused", "disabled", "archived", "deleted"]
    """The template's status. More values may be added."""
    rejection_reason: Literal["abusive_content", "incorrect_category", "invalid_format", "promotional", "scam", "tag_content_mismatch", None]
    """The reason for the rejection, if the template was rejected. More values may be added."""


@final
class TemplateParamsMismatchError(TypedDict):
    """The parameters do not match the template."""
    error: str
    """A human-readable message."""
    code: Literal["template_params_mismatch"]
    """A machine-readable error code."""
    request_id: str
    """The request id; quote it when you contact support. Also in `X-Request-Id`."""
    expected: int
    """The number of parameters that the template has."""
    received: int
    """The number of parameters in the request."""


@final
class NotSupportedByChannelError(TypedDict):
    """The channel behind the number cannot do this; nothing was sent or stored."""
    error: str
    """A human-readable message."""
    code: Literal["not_supported_by_channel"]
    """A machine-readable error code."""
    request_id: str
    """The request id; quote it when you contact support. Also in `X-Request-Id`."""
    channel: Literal["sandbox", "cloud_api", "twilio"]
    """The channel behind the number. More values may be added."""
    unsupported: str
    """The feature that the channel does not support."""
    supported: list[str]
    """The supported alternatives; may be empty."""


@final
class RateLimitedError(TypedDict):
    """The key has reached its limit of requests in the last 60 seconds."""
    error: str
    """A human-readable message."""
    code: Literal["rate_limited"]
    """A machine-readable error code."""
    request_id: str
    """The request id; quote it when you contact support. Also in `X-Request-Id`."""
    limit: int
    """The number of requests that are admitted in the window."""
    window_seconds: int
    """The length of the window in seconds."""
    retry_after: int
    """The number of seconds until the next request is admitted."""


@final
class TokenRequest(TypedDict):
    """The request body of an exchange."""
    grant_type: NotRequired[Literal["authorization_code"]]
    """`authorization_code`, if present."""
    code: str
    """The code from the redirect. Valid once, for 60 seconds."""
    code_verifier: str
    """The verifier of the challenge in the authorize request: 43 to 128 unreserved characters."""
    client_id: NotRequired[str]
    """The application's client id. Required without HTTP Basic."""
    client_secret: NotRequired[str]
    """The application's secret. Required without HTTP Basic, refused with it."""
    redirect_uri: NotRequired[str]
    """The redirect URI, which must be the one of the authorize request."""


@final
class ConnectionOrganization(TypedDict):
    id: str
    """The organization's id."""
    name: str
    """The organization's name."""


@final
class ConnectionAccount(TypedDict):
    id: str
    """The account's id."""
    phone_number: str
    """The account's phone number."""
    display_name: str
    """The display name that contacts see."""


@final
class ConnectionPlan(TypedDict):
    name: str | None
    """The name of the plan; null without a plan."""
    status: Literal["active", "past_due", "canceled", "none"]
    """The status of the subscription. More values may be added."""
    api_access: bool
    """Whether the plan includes API access. If not, every request returns 403 until the business
    changes its plan.
    """


@final
class Connection(TypedDict):
    """The connection that was created."""
    client_id: str
    """The connection's own client id, for the header `x-client-id`."""
    client_secret: str
    """The connection's secret, for the header `x-client-secret`. Shown only here."""
    connection_id: str
    """The connection's id."""
    organization: ConnectionOrganization
    """The business."""
    account: ConnectionAccount | None
    """The number that the business chose; null if it has none."""
    scopes: list[Literal["messages.send", "templates.read", "templates.write", "conversations.read", "conversations.write", "contacts.delete", "agent.reply", "media.write", "webhooks.manage"]]
    """The scopes that the business granted."""
    scope: str
    """The granted scopes separated by spaces, for OAuth clients."""
    plan: ConnectionPlan
    """The plan of the business."""
    connected_at: str
    """When the connection was created."""
    access_token: str
    """The client id and the secret with a dot between, for `Authorization: Bearer`. It does not expire."""
    token_type: Literal["Bearer"]
    """The type of the access token (RFC 6749 section 7.1)."""


@final
class ExchangeError(TypedDict):
    """A failed exchange."""
    error: Literal["invalid_request", "invalid_grant"]
    """The value of `code`, under the name that OAuth clients read. More values may be added."""
    code: Literal["invalid_request", "invalid_grant"]
    """A machine-readable error code. More values may be added."""
    error_description: str
    """A human-readable message. It does not say which check failed."""
    request_id: str
    """The request id; quote it when you contact support."""
