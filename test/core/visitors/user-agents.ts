import { BROWSERS, DEVICES, OSES, type Browser, type Device, type Os } from "../../../src/core/visitors/fact-values.ts";

/**
 * Real User-Agents and their senders. One row per line: device, os, browser, sender, then the User-Agent as sent. The
 * sender is a `person`, a declared `bot`, or a plain HTTP `library`, which is not a bot. Lines with `#` are notes. Rows
 * have the true values, except in the last section: its clients cannot be recognized, and notes have the true values.
 */
const TABLE = String.raw`
# ---- iPhones and iPods
mobile  ios      safari  person   Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1
mobile  ios      safari  person   Mozilla/5.0 (iPhone; CPU iPhone OS 12_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1 Mobile/15E148 Safari/604.1
mobile  ios      safari  person   Mozilla/5.0 (iPhone; CPU iPhone OS 6_0_1 like Mac OS X) AppleWebKit/536.26 (KHTML, like Gecko) Version/6.0 Mobile/10A523 Safari/8536.25
mobile  ios      safari  person   Mozilla/5.0 (iPhone; U; CPU iPhone OS 3_0 like Mac OS X; en-us) AppleWebKit/528.18 (KHTML, like Gecko) Version/4.0 Mobile/7A341 Safari/528.16
mobile  ios      safari  person   Mozilla/5.0 (iPod touch; CPU iPhone OS 12_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.0 Mobile/15A5341f Safari/604.1
mobile  ios      chrome  person   Mozilla/5.0 (iPhone; CPU iPhone OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1
mobile  ios      firefox person   Mozilla/5.0 (iPhone; CPU iPhone OS 14_7_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/133.0 Mobile/15E148 Safari/605.1.15
mobile  ios      firefox person   Mozilla/5.0 (iPhone; CPU iPhone OS 11_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Focus/4.1 Mobile/15G77
mobile  ios      edge    person   Mozilla/5.0 (iPhone; CPU iPhone OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 EdgiOS/131.0.2903.51 Mobile/15E148 Safari/605.1.15
mobile  ios      opera   person   Mozilla/5.0 (iPhone; CPU iPhone OS 12_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) OPT/5 Mobile/16B92
mobile  ios      opera   person   Mozilla/5.0 (iPhone; CPU iPhone OS 8_1_2 like Mac OS X) AppleWebKit/600.1.4 (KHTML, like Gecko) OPiOS/9.1.0.86723 Mobile/12B440 Safari/9537.53
mobile  ios      other   person   Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.2 Mobile/15E148 DuckDuckGo/7 Safari/605.1.15
mobile  ios      other   person   Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4.1 Mobile/15E148 Safari/604.1 (Ecosia ios@9.2.3.1367)
mobile  ios      other   person   Mozilla/5.0 (iPhone; CPU iPhone OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 YaBrowser/24.10.4.780.10 Mobile/15E148 Safari/604.1
mobile  ios      other   person   Mozilla/5.0 (iPhone; CPU iPhone OS 12_1 like Mac OS X; zh-CN) AppleWebKit/537.51.1 (KHTML, like Gecko) Mobile/16B92 UCBrowser/12.1.7.1109 Mobile AliApp(TUnionSDK/0.1.20.3)

# ---- Android phones
mobile  android  chrome  person   Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36
mobile  android  chrome  person   Mozilla/5.0 (Linux; Android 13; Pixel 6) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/104.0.0.0 Mobile Safari/537.36
mobile  android  chrome  person   Mozilla/5.0 (Linux; Android 9; SM-G970F) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/70.0.3538.110 Mobile Safari/537.36
mobile  android  chrome  person   Mozilla/5.0 (Linux; Android 10; SM-F916B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/81.0.4044.138 Mobile Safari/537.36
mobile  android  chrome  person   Mozilla/5.0 (Linux; Android 10; LM-Q710(FGN)) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/111.0.5563.57 Mobile Safari/537.36
mobile  android  chrome  person   Mozilla/5.0 (Linux; Android 8.0.0; CUBOT_P20) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/70.0.3538.110 Mobile Safari/537.36
mobile  android  chrome  person   Mozilla/5.0 (Linux; Android 14; XQ-EC44) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/127.0.0.0 Mobile Safari/537.36
mobile  android  chrome  person   Mozilla/5.0 (Linux; Android 4.2.1; Nexus 4 Build/JOP40D) AppleWebKit/535.19 (KHTML, like Gecko) Chrome/18.0.1025.166 Mobile Safari/535.19
mobile  android  firefox person   Mozilla/5.0 (Android 15; Mobile; rv:133.0) Gecko/133.0 Firefox/133.0
mobile  android  firefox person   Mozilla/5.0 (Android 13; Mobile; LG-M255; rv:111.0) Gecko/111.0 Firefox/111.0
mobile  android  firefox person   Mozilla/5.0 (Android; Linux armv7l; rv:2.0.1) Gecko/20100101 Firefox/4.0.1 Fennec/2.0.1
mobile  android  firefox person   Mozilla/5.0 (Linux; Android 7.0) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Focus/1.0 Chrome/59.0.3029.83 Mobile Safari/537.36
mobile  android  samsung person   Mozilla/5.0 (Linux; Android 10; SAMSUNG SM-A217F) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/11.0 Chrome/75.0.3770.143 Mobile Safari/537.36
mobile  android  samsung person   Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36
mobile  android  edge    person   Mozilla/5.0 (Linux; Android 10; HD1913) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/111.0.5563.57 Mobile Safari/537.36 EdgA/110.0.1587.66
mobile  android  opera   person   Mozilla/5.0 (Linux; Android 10; VOG-L29) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.6778.81 Mobile Safari/537.36 OPR/76.2.4027.73374
mobile  android  opera   person   Mozilla/5.0 (Linux; U; Android 5.0.2; zh-CN; Redmi Note 3 Build/LRX22G) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 OPR/11.2.3.102637 Mobile Safari/537.36
mobile  android  opera   person   Opera/9.80 (Android; Opera Mini/12.0.1987/37.7327; U; pl) Presto/2.12.423 Version/12.16
mobile  android  opera   person   Mozilla/5.0 (Linux; Android 5.1.1; D2406 Build/18.6.A.0.182) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/43.0.2357.121 Mobile Safari/537.36 OPT/1.9.31
mobile  android  other   person   Mozilla/5.0 (Linux; arm_64; Android 11; Redmi Note 9S) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/104.0.5112.124 YaApp_Android/22.95.1 YaSearchBrowser/22.95.1 BroPP/1.0 SA/3 Mobile Safari/537.36
mobile  android  other   person   Mozilla/5.0 (Linux; U; Android 9; pl-pl; Redmi Note 7 Build/PKQ1.180904.001) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/71.0.3578.141 Mobile Safari/537.36 XiaoMi/MiuiBrowser/11.4.3-g
mobile  android  other   person   Mozilla/5.0 (Linux; U; Android 6.0.1; zh-CN; F5121 Build/34.0.A.1.247) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/40.0.2214.89 UCBrowser/11.5.1.944 Mobile Safari/537.36
mobile  android  other   person   Mozilla/5.0 (Linux; Android 12; HarmonyOS; TET-AN00; HMSCore 6.12.4.312) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0.4844.88 HuaweiBrowser/14.0.5.301 Mobile Safari/537.36
mobile  android  other   person   Mozilla/5.0 (Linux; Android 8.1.0; vivo 1803 Build/O11019; wv) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/62.0.3202.84 Mobile Safari/537.36 VivoBrowser/6.2.0.1
mobile  android  other   person   Mozilla/5.0 (Linux; Android 10) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/84.0.4147.111 Mobile DuckDuckGo/5 Safari/537.36
mobile  android  other   person   Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/111.0.0.0 Mobile Safari/537.36 (Ecosia android@111.0.5563.116)
mobile  android  other   person   Mozilla/5.0 (Linux; U; Android 6.0; zh-cn; FRD-AL00 Build/HUAWEIFRD-AL00) AppleWebKit/537.36 (KHTML, like Gecko)Version/4.0 Chrome/37.0.0.0 MQQBrowser/6.0 Mobile Safari/537.36
mobile  android  other   person   Mozilla/5.0 (Linux; U; Android 2.2) AppleWebKit/533.1 (KHTML, like Gecko) Version/4.0 Mobile Safari/533.1
mobile  android  other   person   Mozilla/5.0 (Linux; U; Android 2.1-update1; de-de; HTC Desire 1.19.161.5 Build/ERE27) AppleWebKit/530.17 (KHTML, like Gecko) Version/4.0 Mobile Safari/530.17
# A native app's own requests, by the phone it runs on.
mobile  android  other   person   Dalvik/2.1.0 (Linux; U; Android 9; SM-G965U Build/PPR1.180610.011)

# ---- Native apps on Apple's networking stack, which does not name the device
other   ios      other   person   Viber/12.8.0.1 CFNetwork/1121.2.2 Darwin/19.3.0
other   ios      other   person   MobileSafari/9537.53 CFNetwork/672.0.2 Darwin/14.0.0

# ---- Other phones
mobile  other    other   person   Mozilla/5.0 (Mobile; LYF/F90M/LYF-F90M-000-02-15-130718; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.0
mobile  other    firefox person   Mozilla/5.0 (Mobile; rv:26.0) Gecko/26.0 Firefox/26.0
mobile  other    edge    person   Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1; Microsoft; Lumia 650) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/52.0.2743.116 Mobile Safari/537.36 Edge/15.15254
mobile  other    other   person   Mozilla/5.0 (Mobile; Windows Phone 8.1; Android 4.0; ARM; Trident/7.0; Touch; rv:11.0; IEMobile/11.0; NOKIA; Lumia 620) like iPhone OS 7_0_3 Mac OS X AppleWebKit/537 (KHTML, like Gecko) Mobile Safari/537
mobile  other    other   person   Mozilla/5.0 (compatible; MSIE 9.0; Windows Phone OS 7.5; Trident/5.0; IEMobile/9.0; NOKIA; Lumia 710)
mobile  other    other   person   Mozilla/4.0 (compatible; MSIE 6.0; Windows CE; IEMobile 6.12)
mobile  other    other   person   Mozilla/5.0 (BB10; Touch) AppleWebKit/537.35+ (KHTML, like Gecko) Version/10.3.2.2639 Mobile Safari/537.35+
mobile  other    other   person   Mozilla/5.0 (BlackBerry; U; BlackBerry 9780; en-GB) AppleWebKit/534.8+ (KHTML, like Gecko) Version/6.0.0.546 Mobile Safari/534.8+
mobile  other    other   person   BlackBerry8520/5.0.0.681 Profile/MIDP-2.1 Configuration/CLDC-1.1 VendorID/600
mobile  other    other   person   Mozilla/5.0 (Symbian/3; Series60/5.2 NokiaX7-00/0261.004; Profile/MIDP-2.1 Configuration/CLDC-1.1 ) AppleWebKit/533.4 (KHTML, like Gecko) NokiaBrowser/7.3.1.21 Mobile Safari/533.4 3gpp-gba
mobile  other    other   person   Nokia6280/2.0 (03.60) Profile/MIDP-2.0 Configuration/CLDC-1.1
mobile  other    other   person   Mozilla/5.0 (SAMSUNG; SAMSUNG-GT-S5780/S5780XXKF5; U; Bada/1.1; de-de) AppleWebKit/533.1 (KHTML, like Gecko) Dolfin/2.0 Mobile WQVGA SMM-MMS/1.2.0 OPN-B
mobile  other    other   person   SonyEricssonW810i/R46EA Browser/NetFront/3.3 Profile/MIDP-2.0 Configuration/CLDC-1.1 UP.Link/6.3.0.0.0
mobile  other    opera   person   Opera/9.80 (J2ME/MIDP; Opera Mini/7.1.32052/29.3709; U; en) Presto/2.8.119 Version/11.10
mobile  other    other   person   Mozilla/5.0 (Phone; OpenHarmony 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.0.0 Safari/537.36 ArkWeb/4.1.6.1 Mobile

# ---- Tablets
tablet  ios      safari  person   Mozilla/5.0 (iPad; CPU OS 12_5_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1.2 Mobile/15E148 Safari/604.1
tablet  ios      safari  person   Mozilla/5.0 (iPad; U; CPU OS 3_2 like Mac OS X; en-us) AppleWebKit/531.21.10 (KHTML, like Gecko) Version/4.0.4 Mobile/7B334b Safari/531.21.10
tablet  ios      chrome  person   Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1
tablet  ios      firefox person   Mozilla/5.0 (iPad; CPU OS 14_7_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/133.0 Mobile/15E148 Safari/605.1.15
tablet  ios      edge    person   Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 EdgiOS/131.0.2903.51 Mobile/15E148 Safari/605.1.15
tablet  ios      opera   person   Mozilla/5.0 (iPad; CPU OS 12_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) OPT/1.11.0 Mobile/15E148
tablet  ios      other   person   Mozilla/5.0 (iPad; CPU OS 18_1_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 YJApp-IOS jp.co.yahoo.ipn.appli/4.131.0
tablet  ios      other   person   Mozilla/5.0 (iPad; CPU OS 12_1_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/16C50 Flipboard/4.2.32
tablet  android  chrome  person   Mozilla/5.0 (Linux; Android 10; SM-T870) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/84.0.4147.89 Safari/537.36
tablet  android  chrome  person   Mozilla/5.0 (Linux; Android 12; SM-X706B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/103.0.5060.53 Safari/537.36
tablet  android  chrome  person   Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36
tablet  android  chrome  person   Mozilla/5.0 (Linux; Android 5.0.2; VK700 Build/LRX22G) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/55.0.2883.84 Safari/537.36
tablet  android  chrome  person   Mozilla/5.0 (Linux; Android 6.0.1; Nexus 7 Build/MOB30X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/90.0.4430.91 Safari/537.36
tablet  android  chrome  person   Mozilla/5.0 (Linux; Android 9; d-02K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/74.0.3729.136 Safari/537.36
tablet  android  chrome  person   Mozilla/5.0 (Linux; Android 13; Lenovo TB-J606F) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/112.0.0.0 Safari/537.36
tablet  android  samsung person   Mozilla/5.0 (Linux; Android 10; SAMSUNG SM-T515) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/13.0 Chrome/83.0.4103.106 Safari/537.36
tablet  android  samsung person   Mozilla/5.0 (Linux; Android 10; SAMSUNG SM-P610) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/12.0 Chrome/79.0.3945.136 Safari/537.36
tablet  android  firefox person   Mozilla/5.0 (Android 11; Tablet; rv:109.0) Gecko/114.0 Firefox/114.0
tablet  android  other   person   Mozilla/5.0 (Linux; Android 9; KFKAWI) AppleWebKit/537.36 (KHTML, like Gecko) Silk/98.1.148 like Chrome/98.0.4758.101 Safari/537.36
tablet  android  other   person   Mozilla/5.0 (Linux; Android 11; KFTRWI) AppleWebKit/537.36 (KHTML, like Gecko) Silk/119.4.1 like Chrome/119.0.6045.193 Safari/537.36
tablet  android  other   person   Mozilla/5.0 (Linux; U; Android 3.1; Sony Tablet S Build/THMAS10000) AppleWebKit/534.13 (KHTML, like Gecko) Version/4.0 Safari/534.13
tablet  android  other   person   Mozilla/5.0 (Linux; U; Android 2.3.4; en-us; NOOK BNTV250 Build/GINGERBREAD 1.4.3) AppleWebKit/533.1 (KHTML, like Gecko) Version/4.0 Safari/533.1
tablet  android  other   person   Mozilla/5.0 (Linux; Android 7.1.1; SM-P550 Build/NMF26X; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/89.0.4389.90 Safari/537.36
tablet  android  other   person   Mozilla/5.0 (Linux; Android 5.1.1; KFDOWI Build/LVY48F; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/70.0.3538.110 Safari/537.36 [Pinterest/Android]
tablet  other    other   person   Mozilla/5.0 (PlayBook; U; RIM Tablet OS 2.1.0; en-US) AppleWebKit/536.2+ (KHTML, like Gecko) Version/7.2.1.0 Safari/536.2+
tablet  other    other   person   Mozilla/5.0 (hp-tablet; Linux; hpwOS/3.0.5; U; en-US) AppleWebKit/534.6 (KHTML, like Gecko) wOSBrowser/234.83 Safari/534.6 TouchPad/1.0

# ---- Windows
desktop windows  chrome  person   Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36
desktop windows  chrome  person   Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/537.1 (KHTML, like Gecko) Chrome/21.0.1180.83 Safari/537.1
desktop windows  edge    person   Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.51
desktop windows  edge    person   Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/64.0.3282.140 Safari/537.36 Edge/17.17134
desktop windows  firefox person   Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0
desktop windows  firefox person   Mozilla/5.0 (Windows; U; Windows NT 5.1; en-US; rv:1.9.1.7) Gecko/20091221 Firefox/3.5.7 (.NET CLR 3.5.30729)
desktop windows  opera   person   Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 OPR/115.0.0.0
desktop windows  opera   person   Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/99.0.4844.16 Safari/537.36 OPR/85.0.4338.0 (Edition developer)
desktop windows  opera   person   Opera/9.80 (Windows NT 6.1; WOW64) Presto/2.12.388 Version/12.18
desktop windows  opera   person   Opera/9.25 (Windows NT 6.0; U; en)
desktop windows  safari  person   Mozilla/5.0 (Windows; U; Windows NT 6.1; en-US) AppleWebKit/533.20.25 (KHTML, like Gecko) Version/5.0.4 Safari/533.20.27
desktop windows  other   person   Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko
desktop windows  other   person   Mozilla/5.0 (Windows NT 6.3; WOW64; Trident/7.0; .NET4.0E; .NET4.0C; .NET CLR 3.5.30729; .NET CLR 2.0.50727; .NET CLR 3.0.30729; Tablet PC 2.0; GWX:MANAGED; rv:11.0) like Gecko
desktop windows  other   person   Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1; SV1; .NET CLR 1.1.4322)
desktop windows  other   person   Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 Vivaldi/7.0.3495.11
desktop windows  other   person   Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 YaBrowser/24.10.0.0 Safari/537.36
desktop windows  other   person   Mozilla/5.0 (Windows NT 6.2; Win64; x64; rv:24.0) Gecko/20140419 Firefox/24.0 PaleMoon/24.5.0
desktop windows  other   person   Mozilla/5.0 (Windows NT 6.2; WOW64; rv:20.0) Gecko/20100101 Firefox/20.0 SeaMonkey/2.17.1
desktop windows  other   person   Mozilla/5.0 (Windows NT 10.0; WOW64) AppleWebKit/537.36 (KHTML, like Gecko) discord/0.0.306 Chrome/78.0.3904.130 Electron/7.1.11 Safari/537.36
desktop windows  other   person   Mozilla/5.0 (Windows NT 10.0; WOW64; rv:60.0) Gecko/20100101 Thunderbird/60.7.0 Lightning/6.2.7
desktop windows  other   person   Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/39.0.2171.95 Safari/537.36 MicroMessenger/6.5.2.501 NetType/WIFI WindowsWechat QBCore/3.43.691.400 QQBrowser/9.0.2524.400
desktop windows  other   person   Mozilla/5.0 (Windows; U; Win98; en-US; rv:1.7.5) Gecko/20050603 Netscape/8.0.2
desktop windows  other   person   Microsoft Office/16.0 (Windows NT 10.0; Microsoft PowerPoint 16.0.10325; Pro)

# ---- Macs
desktop macos    safari  person   Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15
desktop macos    safari  person   Mozilla/5.0 (Macintosh; U; Intel Mac OS X 10_5_8; en-us) AppleWebKit/531.9 (KHTML, like Gecko) Version/4.0.3 Safari/531.9
desktop macos    chrome  person   Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36
desktop macos    firefox person   Mozilla/5.0 (Macintosh; Intel Mac OS X 14.7; rv:133.0) Gecko/20100101 Firefox/133.0
desktop macos    edge    person   Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.51
desktop macos    opera   person   Mozilla/5.0 (Macintosh; Intel Mac OS X 10_12_6) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.130 Safari/537.36 OPR/66.0.3515.72
desktop macos    opera   person   Opera/9.80 (Macintosh; Intel Mac OS X 10.6.8; U; de) Presto/2.9.168 Version/11.52
desktop macos    other   person   Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Slack/4.39.90 Chrome/127.0.6533.72 Electron/13.1.9 Safari/537.36
desktop macos    other   person   Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)
desktop macos    other   person   Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/100.0.4896.57 Whale/3.14.133.23 Safari/537.36
desktop macos    other   person   Mozilla/5.0 (Macintosh; Intel Mac OS X 10_6_8) AppleWebKit/534.59.10 (KHTML, like Gecko) Version/5.1 Safari/6534.59.10 Sleipnir/4.5.1
desktop macos    other   person   Mozilla/4.0 (compatible; MSIE 5.0; Mac_PowerPC)

# ---- Linux, Chrome OS, BSD
desktop linux    chrome  person   Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36
desktop linux    chrome  person   Mozilla/5.0 (X11; Linux i686) AppleWebKit/537.36 (KHTML, like Gecko) Ubuntu Chromium/65.0.3325.181 Chrome/65.0.3325.181 Safari/537.36
desktop linux    firefox person   Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0
desktop linux    firefox person   Mozilla/5.0 (X11; Ubuntu; Linux i686; rv:24.0) Gecko/20100101 Firefox/24.0
desktop linux    firefox person   Mozilla/5.0 (X11; Fedora; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/117.0
desktop linux    edge    person   Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/110.0.0.0 Safari/537.36 Edg/110.0.1587.50
desktop linux    opera   person   Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 OPR/115.0.0.0
desktop linux    other   person   Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/534.26+ (KHTML, like Gecko) Version/5.0 Safari/534.26+ Ubuntu/10.10 (2.30.6-1ubuntu5) Epiphany/2.30.6
desktop linux    other   person   Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.0 Safari/605.1.15
desktop linux    other   person   Mozilla/5.0 (compatible; Konqueror/4.4; Linux) KHTML/4.4.5 (like Gecko) Kubuntu
desktop linux    other   person   Links (2.1pre23; Linux 3.5.0 i686; 237x63)
desktop linux    other   person   ELinks/0.12~pre6-1ubuntu1 (textmode; Ubuntu; Linux 3.11.0-13-generic i686; 100x25-2)
desktop chromeos chrome  person   Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36
desktop chromeos chrome  person   Mozilla/5.0 (X11; CrOS aarch64 13904.66.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/91.0.4472.114 Safari/537.36
desktop other    firefox person   Mozilla/5.0 (X11; FreeBSD amd64; rv:122.0) Gecko/20100101 Firefox/122.0
desktop other    chrome  person   Mozilla/5.0 (X11; OpenBSD amd64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36

# ---- In-app browsers of people
mobile  ios      other   person   Mozilla/5.0 (iPhone; CPU iPhone OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/428.0.0.26.108;FBBV/508880195;FBDV/iPhone12,1;FBMD/iPhone;FBSN/iOS;FBSV/16.6;FBSS/2;FBID/phone;FBLC/en_US;FBOP/5;FBRV/510807288]
mobile  android  other   person   Mozilla/5.0 (Linux; Android 9; SM-G950U Build/PPR1.180610.011; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/80.0.3987.149 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/263.0.0.46.121;]
desktop windows  other   person   Mozilla/5.0 (Windows NT 10.0.16299.98; osmeta 10.3.3308) AppleWebKit/602.1.1 (KHTML, like Gecko) Version/9.0 Safari/602.1.1 osmeta/10.3.3308 Build/3308 [FBAN/FBW;FBAV/140.0.0.232.179;FBBV/83145113;FBDV/WindowsDevice;FBMD/Predator G9-793;FBSN/Windows;FBSV/10.0.16299.125]
mobile  ios      other   person   Mozilla/5.0 (iPhone; CPU iPhone OS 13_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 123.1.0.26.115 (iPhone11,8; iOS 13_3; en_US; en-US; scale=2.00; 828x1792; 190542906)
mobile  android  other   person   Mozilla/5.0 (Linux; Android 11; Pixel 2 Build/RP1A.201005.004.A1; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/91.0.4472.120 Mobile Safari/537.36 Instagram 194.0.0.36.172 Android (30/11; 420dpi; 1080x1878; Google/google; Pixel 2; walleye; walleye; en_US; 301484483)
mobile  ios      other   person   Mozilla/5.0 (iPhone; CPU iPhone OS 16_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 musical_ly_30.1.0 JsSdk/2.0 NetType/WIFI Channel/App Store ByteLocale/en Region/US BytedanceWebview/d8a21c6
mobile  android  other   person   Mozilla/5.0 (Linux; Android 10; SM-G973F Build/QQ3A.200805.001; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/85.0.4183.101 Mobile Safari/537.36 trill_2021806060 JsSdk/1.0 NetType/WIFI Channel/googleplay AppName/musical_ly app_version/18.6.6 ByteLocale/fr ByteFullLocale/fr Region/FR
mobile  ios      other   person   Mozilla/5.0 (iPhone; CPU iPhone OS 16_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Safari Line/12.18.1
mobile  android  other   person   Mozilla/5.0 (Linux; Android 14; XQ-ES72 Build/70.0.A.2.233; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/129.0.6668.71 Mobile Safari/537.36 Line/14.16.0/IAB
mobile  ios      other   person   Mozilla/5.0 (iPhone; CPU iPhone OS 15_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.20(0x18001442) NetType/WIFI Language/zh_CN
mobile  android  other   person   Mozilla/5.0 (Linux; Android 7.0; FRD-AL00 Build/HUAWEIFRD-AL00; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/53.0.2785.49 Mobile MQQBrowser/6.2 TBS/043602 Safari/537.36 MicroMessenger/6.5.16.1120 NetType/WIFI Language/zh_CN
mobile  ios      other   person   Mozilla/5.0 (iPhone; CPU iPhone OS 9_3_4 like Mac OS X) AppleWebKit/601.1.46 (KHTML, like Gecko) Mobile/13G35 QQ/6.5.3.410 V1_IPH_SQ_6.5.3_1_APP_A Pixel/750 Core/UIWebView NetType/2G Mem/117
mobile  ios      other   person   Mozilla/5.0 (iPhone; CPU iPhone OS 14_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/14.1.1 Mobile/15E148 Snapchat/11.36.0.36 (like Safari/604.1)
mobile  android  other   person   Mozilla/5.0 (Linux; Android 10; SM-G973U Build/QP1A.190711.020; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/79.0.3945.136 Mobile Safari/537.36Snapchat10.74.6.0 (SM-G973U; Android 10#G973USQS2CSL1#29; gzip)
mobile  ios      other   person   Mozilla/5.0 (iPhone; CPU iPhone OS 12_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 [LinkedInApp]
mobile  ios      other   person   Mozilla/5.0 (iPhone; CPU iPhone OS 13_3_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/17D50 Twitter for iPhone/8.10
tablet  ios      other   person   Mozilla/5.0 (iPad; CPU OS 6_1_3 like Mac OS X) AppleWebKit/536.26 (KHTML, like Gecko) Mobile/10B329 [Pinterest/iOS]
mobile  ios      other   person   Mozilla/5.0 (iPhone; CPU iPhone OS 17_2_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.2 Mobile/15E148 Safari/605.1 NAVER(inapp; search; 2000; 12.3.6; 14PRO)
mobile  ios      other   person   Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 KAKAOTALK 10.4.5
mobile  ios      other   person   Mozilla/5.0 (iPhone; CPU iPhone OS 13_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) GSA/102.0.304944559 Mobile/15E148 Safari/604.1
mobile  android  other   person   Mozilla/5.0 (Linux; Android 6.0.1; SM-G532M Build/MMB29T; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/88.0.4324.181 Mobile Safari/537.36 GoogleApp/12.4.9.23.arm
mobile  ios      other   person   Mozilla/5.0 (iPhone; CPU iPhone OS 12_3_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.0 Mobile/15E148 Safari/605.1.15 BingWeb/6.37.2.0
mobile  android  other   person   Mozilla/5.0 (Linux; Android 13; SH-M20 Build/TKQ1.220915.002; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/132.0.6834.163 Mobile Safari/537.36 YJApp-ANDROID jp.co.yahoo.android.yjtop/3.187.0
mobile  ios      other   person   Mozilla/5.0 (iPhone; CPU iPhone OS 12_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148

# ---- TVs and streaming sticks
other   other    samsung person   Mozilla/5.0 (SMART-TV; Linux; Tizen 2.3) AppleWebkit/538.1 (KHTML, like Gecko) SamsungBrowser/1.0 TV Safari/538.1
other   other    samsung person   Mozilla/5.0 (SMART-TV; LINUX; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/3.2 Chrome/76.0.3809.146 TV Safari/537.36
other   other    other   person   Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.41 (KHTML, like Gecko) Large Screen Safari/537.41 LG Browser/7.00.00(LGE; 42LB670V-ZA; 05.05.90; 1); webOS.TV-2014; LG NetCast.TV-2013 Compatible (LGE, 42LB670V-ZA, wireless)
other   other    other   person   Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/38.0.2125.122 Safari/537.36 HbbTV/1.3.1 ( DRM; LGE; OLED55B7V_Z; WEBOS3.5 06.10.60; W3_M16P; ) FVC/2.0 (LGE; WEBOS3.5 ;)
other   other    other   person   Mozilla/5.0 (Linux; NetCast; U) AppleWebKit/537.31 (KHTML, like Gecko) Chrome/53.0.2785 34 Safari/537.31 SmartTV/8.5
other   other    other   person   Mozilla/5.0 (DirectFB; U; Linux mips; en) AppleWebKit/528.5+ (KHTML, like Gecko, Safari/528.5+) LG Browser (; LG NetCast.TV-2011)
other   other    other   person   HbbTV/1.1.1 (;Samsung;SmartTV2014;T-NT14UDEUC-1060.4;;) WebKit
other   other    opera   person   Mozilla/5.0 (Linux armv7l) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.152 Safari/537.36 OPR/29.0.1803.0 OMI/4.5.23.37.MOT2.13 HbbTV/1.2.1 (;Philips;32PHS5301/12;;_TV_MT5800;) Firmware/TPM161E_012.002.045.001 en
other   other    opera   person   Opera/9.80 (Linux mips ; U; HbbTV/1.1.1 (; Philips; ; ; ; ) CE-HTML/1.0 NETTV/3.1.0; en) Presto/2.6.33 Version/10.70
other   other    opera   person   Mozilla/5.0 (Linux armv7l) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/49.0.2623.112 Safari/537.36 OPR/36.0.2128.0 OMI/4.8.0.129.ALISHAN6.19 VIZIO-DTV/V7.20.8 (Vizio, D32f-E1, wireless)
other   android  chrome  person   Mozilla/5.0 (Linux; Android 9; BRAVIA 4K GB ATV3) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/103.0.0.0 Mobile Safari/537.36
other   android  chrome  person   Mozilla/5.0 (Linux; Android 4.3.1; MStar Android TV Build/KTU84P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/48.0.2564.95 Safari/537.36
other   android  other   person   Mozilla/5.0 (Linux; Android 6.0; ONIDA Android TV Build/MRA58K; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/48.0.2542.0 Mobile Safari/537.36
other   android  chrome  person   Mozilla/5.0 (Linux; Android 11; SHIELD Android TV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/110.0.0.0 Safari/537.36
other   android  chrome  person   Mozilla/5.0 (Linux; Android 12; Chromecast) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/115.0.0.0 Safari/537.36
other   android  other   person   Mozilla/5.0 (Linux; Android 5.1; AFTS Build/LMY47O) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/41.99900.2250.0242 Safari/537.36
other   android  other   person   Mozilla/5.0 (Linux; Android 7.1.2; AFTMM Build/NS6265; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/70.0.3538.110 Mobile Safari/537.36
other   android  other   person   Mozilla/5.0 (Linux; Android 9; AFTKA) AppleWebKit/537.36 (KHTML, like Gecko) Silk/108.10.5 like Chrome/108.0.5359.220 Safari/537.36
other   android  other   person   Dalvik/2.1.0 (Linux; U; Android 5.1.1; AFTT Build/LVY48F) CTV
other   other    other   person   Mozilla/5.0 (X11; Linux armv7l) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/90.0.4430.225 Safari/537.36 CrKey/1.56.500000 DeviceType/Chromecast
other   other    chrome  person   Mozilla/5.0 (CrKey armv7l 1.5.16041) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/31.0.1650.0 Safari/537.36
other   other    other   person   Roku4640X/DVP-7.70 (297.70E04154A)
other   other    other   person   Roku/DVP-9.10 (519.10E04111A)
other   other    other   person   AppleTV11,1/11.1
other   other    firefox person   Mozilla/5.0 (TV; rv:44.0) Gecko/44.0 Firefox/44.0

# ---- Consoles
other   other    other   person   Mozilla/5.0 (PlayStation 4 5.55) AppleWebKit/601.2 (KHTML, like Gecko)
other   other    other   person   Mozilla/5.0 (PlayStation; PlayStation 5/2.26) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.0 Safari/605.1.15
other   other    other   person   Mozilla/5.0 (PLAYSTATION 3 4.46) AppleWebKit/531.22.8 (KHTML, like Gecko)
other   other    other   person   Mozilla/4.0 (PSP (PlayStation Portable); 2.00)
other   other    other   person   Mozilla/5.0 (PlayStation Vita 3.61) AppleWebKit/537.73 (KHTML, like Gecko) Silk/3.2
other   other    other   person   Mozilla/5.0 (Nintendo Switch; WifiWebAuthApplet) AppleWebKit/601.6 (KHTML, like Gecko) NF/4.0.0.5.10 NintendoBrowser/5.1.0.13343
other   other    other   person   Mozilla/5.0 (Nintendo WiiU) AppleWebKit/536.30 (KHTML, like Gecko) NX/3.0.4.2.12 NintendoBrowser/4.3.1.11264.US
other   other    other   person   Mozilla/5.0 (Nintendo 3DS; U; ; en) Version/1.7412.EU
other   other    opera   person   Opera/9.30 (Nintendo Wii; U; ; 3642; en)
other   other    edge    person   Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox One) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/70.0.3538.102 Safari/537.36 Edge/18.18363
other   other    edge    person   Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox Series X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36 Edge/44.18363.8131
other   other    other   person   Mozilla/5.0 (compatible; MSIE 9.0; Windows NT 6.1; Trident/5.0; Xbox)

# ---- Watches, glasses, cars
other   other    other   person   Watch1,1/4.3.2 (15U70)
other   other    other   person   atc/1.0 watchOS/6.1.1 model/Watch4,4 hwp/t8006 build/17S449 (6; dt:193)
other   other    samsung person   Mozilla/5.0 (Linux; Tizen 4.0; SAMSUNG SM-R820) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/2.0 Chrome/56.0.2924.0 Mobile Safari/537.36
other   android  samsung person   Mozilla/5.0 (Linux; Android 11; SAMSUNG SM-R925U) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/3.2. Chrome/111.0.5563.116 Mobile Safari/537.36
other   android  chrome  person   Mozilla/5.0 (Linux; Android 5.0.2; SmartWatch 3 Build/LWX49K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/19.77.34.5 Mobile Safari/537.36
other   android  chrome  person   Mozilla/5.0 (Linux; Android 5.0.1; ASUS ZenWatch Build/LWX48S) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/19.77.34.5 Mobile Safari/537.36
other   android  other   person   Mozilla/5.0 (Linux; Android 12; Quest 2) AppleWebKit/537.36 (KHTML, like Gecko) OculusBrowser/27.2.0.5.55 SamsungBrowser/4.0 Chrome/111.0.5563.115 VR Safari/537.36
other   other    other   person   Mozilla/5.0 (X11; GNU/Linux) AppleWebKit/537.36 (KHTML, like Gecko) Chromium/79.0.3945.130 Chrome/79.0.3945.130 Safari/537.36 Tesla/2020.12.1-299292ad7782

# ---- Search engines and other crawlers
other   other    other   bot      Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)
other   other    other   bot      Googlebot/2.1 (+http://www.google.com/bot.html)
other   other    other   bot      Googlebot-Image/1.0
other   other    other   bot      AdsBot-Google (+http://www.google.com/adsbot.html)
other   other    other   bot      Mediapartners-Google
other   other    other   bot      FeedFetcher-Google; (+http://www.google.com/feedfetcher.html)
other   other    other   bot      Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)
other   other    other   bot      Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)
other   other    other   bot      Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)
other   other    other   bot      DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)
other   other    other   bot      Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)
other   other    other   bot      Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)
other   other    other   bot      Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)
other   other    other   bot      Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)
other   other    other   bot      Mozilla/5.0 (compatible; PetalBot;+https://webmaster.petalsearch.com/site/petalbot)
other   other    other   bot      Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.0; +https://openai.com/gptbot)
other   other    other   bot      Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko); compatible; ChatGPT-User/1.0; +https://openai.com/bot
other   other    other   bot      Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)
other   other    other   bot      Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Perplexity-User/1.0; +https://perplexity.ai/perplexity-user)
other   other    other   bot      CCBot/2.0 (https://commoncrawl.org/faq/)
other   other    other   bot      ia_archiver (+http://www.alexa.com/site/help/webmasters; crawler@alexa.com)
other   other    other   bot      Mozilla/5.0 (compatible; archive.org_bot/3.3.0 +https://archive.org/details/archive.org_bot)
other   other    other   bot      Scrapy/2.11.0 (+https://scrapy.org)
other   other    other   bot      AliyunSecBot/Nutch-1.21-SNAPSHOT
other   other    other   bot      Diffbot/0.1
other   other    other   bot      W3C_Validator/1.3 http://validator.w3.org/services
other   other    other   bot      Feedly/1.0 (+http://www.feedly.com/fetcher.html; like FeedFetcher-Google)
other   other    other   bot      colly - https://github.com/gocolly/colly/v2

# ---- Link unfurlers
other   other    other   bot      Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)
other   other    other   bot      Slackbot 1.0 (+https://api.slack.com/robots)
other   other    other   bot      Slack-ImgProxy (+https://api.slack.com/robots)
other   other    other   bot      Twitterbot/1.0
other   other    other   bot      facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)
other   other    other   bot      facebookexternalhit/1.1
other   other    other   bot      meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)
other   other    other   bot      meta-externalfetcher/1.1
other   other    other   bot      WhatsApp/2.23.20.0 A
other   other    other   bot      WhatsApp/2.23.20.0
other   other    other   bot      WhatsApp/2.2336.9 N
other   other    other   bot      Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)
other   other    other   bot      TelegramBot (like TwitterBot)
other   other    other   bot      LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)
other   other    other   bot      Mozilla/5.0 (compatible; Pinterestbot/1.0; +http://www.pinterest.com/bot.html)
other   other    other   bot      Snap URL Preview Service; bot; snapchat; https://developers.snap.com/robots
other   other    other   bot      Iframely/1.3.1 (+https://iframely.com/docs/about)
other   other    other   bot      Mozilla/5.0 (compatible; Embedly/0.2; +http://support.embed.ly/)
other   other    other   bot      Mozilla/5.0 (compatible; redditbot/1.0; +http://www.reddit.com/feedback)
other   other    other   bot      Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)
other   other    other   bot      Synapse (bot; +https://github.com/matrix-org/synapse)
other   other    other   bot      http.rb/5.1.1 (Mastodon/4.2.1; +https://mastodon.social/)
other   other    other   bot      Pleroma 2.5.0; https://example.social <admin@example.social>
other   other    other   bot      BufferLinkPreviewBot/1.0 (+https://scraper.buffer.com/about/bots/link-preview-bot)

# ---- Monitors, probes, and headless tools that say so
other   other    other   bot      Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)
other   other    other   bot      Pingdom.com_bot_version_1.4_(http://www.pingdom.com/)
other   other    other   bot      StatusCake_Pagespeed_Indev
other   other    other   bot      Site24x7
other   other    other   bot      updown.io daemon 2.2
other   other    other   bot      check_http/v2.2 (monitoring-plugins 2.2)
other   other    other   bot      ELB-HealthChecker/2.0
other   other    other   bot      GoogleHC/1.0
other   other    other   bot      Amazon-Route53-Health-Check-Service (ref 1a2b3c; report http://amzn.to/1vsZADi)
other   other    other   bot      kube-probe/1.27
other   other    other   bot      Blackbox Exporter/0.24.0
other   other    other   bot      Uptime-Kuma/1.23.11
other   other    other   bot      Datadog/Synthetics
other   other    other   bot      Monit/5.23.0
other   windows  chrome  bot      Better Uptime Bot Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/74.0.3729.169 Safari/537.36
desktop linux    other   bot      Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1
desktop linux    other   bot      Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0.0.0 Safari/537.36

# ---- Bots that pose as a browser: still bots, and classed as the client they ask to be treated as
mobile  android  other   bot      Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.6778.69 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)
mobile  ios      other   bot      Mozilla/5.0 (iPhone; CPU iPhone OS 8_1 like Mac OS X) AppleWebKit/600.1.4 (KHTML, like Gecko) Version/8.0 Mobile/12B410 Safari/600.1.4 (Applebot/0.1;+http://www.apple.com/go/applebot)
mobile  android  other   bot      Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)
desktop macos    other   bot      Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/13.1.1 Safari/605.1.15 (Applebot/0.1; +http://www.apple.com/go/applebot)
desktop macos    other   bot      Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0
desktop windows  other   bot      Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com
desktop windows  other   bot      Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b
desktop linux    chrome  bot      Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko; Google Web Preview) Chrome/27.0.1453 Safari/537.36
desktop windows  other   bot      Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/61.0.3163.100 Safari/537.36 PingdomPageSpeed/1.0 (pingbot/2.0; +http://www.pingdom.com/)
desktop linux    other   bot      Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/119.0.0.0 Safari/537.36 Chrome-Lighthouse
other   other    chrome  bot      Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36
desktop windows  other   bot      Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)

# ---- Plain HTTP libraries and command-line tools
other   other    other   library  curl/8.5.0
other   linux    other   library  curl/7.29.0 (x86_64-pc-linux-gnu) libcurl/7.29.0 OpenSSL/1.0.1 zlib/1.2.8
other   other    other   library  Wget/1.21.1
other   linux    other   library  Wget/1.20.3 (linux-gnu)
other   other    other   library  python-requests/2.32.3
other   other    other   library  Python-urllib/3.11
other   other    other   library  python-urllib3/1.26.18
other   other    other   library  python-httpx/0.27.2
other   other    other   library  Python/3.9 aiohttp/3.8.1
other   other    other   library  Go-http-client/1.1
other   other    other   library  Go-http-client/2.0
other   other    other   library  go-resty/2.7.0 (https://github.com/go-resty/resty)
other   other    other   library  okhttp/4.12.0
other   other    other   library  axios/1.7.2
other   other    other   library  node-fetch/1.0 (+https://github.com/bitinn/node-fetch)
other   other    other   library  node-fetch
other   other    other   library  got (https://github.com/sindresorhus/got)
other   other    other   library  got/9.6.0 (https://github.com/sindresorhus/got)
other   windows  other   library  Needle/3.2.0 (Node.js v18.14.2; win32 x64)
other   other    other   library  node-superagent/5.0.2
other   other    other   library  undici
other   other    other   library  node
other   other    other   library  Bun/1.1.8
other   other    other   library  Deno/2.1.7
other   other    other   library  Java/1.8.0_392
other   other    other   library  Java-http-client/17.0.9
other   other    other   library  Apache-HttpClient/4.5.14 (Java/17.0.12)
other   other    other   library  Jakarta Commons-HttpClient/3.1
other   other    other   library  Jersey/2.35 (HttpUrlConnection 11.0.16)
other   other    other   library  ReactorNetty/1.1.13
other   other    other   library  AHC/2.1
other   other    other   library  ktor-client
other   other    other   library  libwww-perl/6.67
other   other    other   library  LWP::Simple/6.00 libwww-perl/6.05
other   other    other   library  HTTPie/3.2.2
other   other    other   library  Ruby
other   other    other   library  Faraday v2.7.4
other   other    other   library  http.rb/5.1.1
other   linux    other   library  rest-client/2.1.0 (linux-gnu x86_64) ruby/2.7.2p137
other   other    other   library  Typhoeus - https://github.com/typhoeus/typhoeus
other   other    other   library  PHP/8.2.12
other   other    other   library  PHP-SOAP/7.4.33
other   other    other   library  GuzzleHttp/7
other   other    other   library  GuzzleHttp/6.5.5 curl/7.70.0 PHP/7.4.22
other   other    other   library  Symfony HttpClient/Curl
other   other    other   library  PostmanRuntime/7.43.0
other   other    other   library  insomnia/8.6.1
other   other    other   library  Thunder Client (https://www.thunderclient.com)
other   other    other   library  Dart/3.5 (dart:io)
other   other    other   library  reqwest/0.12.4
other   other    other   library  ureq/2.9.6
other   other    other   library  hyper/0.14
other   other    other   library  RestSharp/106.11.7.0
other   windows  other   library  Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.19041.1682
other   windows  other   library  Mozilla/5.0 (Windows NT 10.0; Microsoft Windows 10.0.15063; en-US) PowerShell/6.0.0
other   other    other   library  lua-resty-http/0.07 (Lua)
other   other    other   library  hackney/1.20.1
other   other    other   library  aria2/1.36.0
other   other    other   library  xh/0.22.2
other   other    other   library  vegeta/12.8.4
other   other    other   library  Apache-CXF/3.4.5

# ---- Known limits: the expected values are those that the headers show, not the true ones
# An iPad since iPadOS 13 asks for the desktop site, to the letter as a Mac (truth: tablet ios safari).
desktop macos    safari  person   Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_6) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.4 Safari/605.1.15
# An Android phone asking for the desktop site is a Linux machine to the letter (truth: mobile android chrome).
desktop linux    chrome  person   Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/110.0.0.0 Safari/537.36
# The few Tizen phones (truth: mobile other other).
other   other    other   person   Mozilla/5.0 (Linux; U; Tizen 2.0; en-us) AppleWebKit/537.1 (KHTML, like Gecko) Mobile TizenBrowser/2.0
# TV boxes whose only mark is a model name in no list (truth: other android chrome).
tablet  android  chrome  person   Mozilla/5.0 (Linux; Android 5.1.1; NEO-U1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/77.0.3865.92 Safari/537.36
# Text browsers that name no operating system (truth: desktop linux other).
other   other    other   person   Lynx/2.8.9rel.1 libwww-FM/2.14 SSL-MM/1.4.1 GNUTLS/3.6.5
other   other    other   person   w3m/0.5.3+git20230121
# Brave says it is Chrome, on purpose (truth: desktop macos other).
desktop macos    chrome  person   Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36
`;

type Sender = "person" | "bot" | "library";

export interface UserAgentRow {
  readonly userAgent: string;
  readonly sender: Sender;
  readonly device: Device;
  readonly os: Os;
  readonly browser: Browser;
}

const SENDERS = ["person", "bot", "library"] as const;

export const USER_AGENTS: readonly UserAgentRow[] = TABLE.split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map(row);

function row(line: string): UserAgentRow {
  const [, device, os, browser, sender, userAgent] = /^(\S+) +(\S+) +(\S+) +(\S+) +(.+)$/.exec(line) ?? [];
  if (userAgent === undefined) throw new Error(`not a row: ${line}`);
  return {
    userAgent,
    device: oneOf(DEVICES, device),
    os: oneOf(OSES, os),
    browser: oneOf(BROWSERS, browser),
    sender: oneOf(SENDERS, sender),
  };
}

function oneOf<Word extends string>(words: readonly Word[], value: string | undefined): Word {
  const found = words.find((word) => word === value);
  if (found === undefined) throw new Error(`${value} is none of ${words.join(", ")}`);
  return found;
}
